// Generated from schemas/v1.0 by `npm run generate`. Do not edit.
'use strict';
module.exports = new Map([
  [require("./adapter/workspace.cjs").schema.$defs.open_result.properties.recovery.anyOf[0], require("./adapter/workspace.cjs").validators["/$defs/open_result/properties/recovery/anyOf/0"]],
  [require("./adapter/workspace.cjs").schema.$defs.open_result.properties.recovery.anyOf[1], require("./adapter/workspace.cjs").validators["/$defs/open_result/properties/recovery/anyOf/1"]],
  [require("./adapter/envelope.cjs").schema.$defs.failure.properties.id.anyOf[0], require("./adapter/envelope.cjs").validators["/$defs/failure/properties/id/anyOf/0"]],
  [require("./adapter/envelope.cjs").schema.$defs.failure.properties.id.anyOf[1], require("./adapter/envelope.cjs").validators["/$defs/failure/properties/id/anyOf/1"]],
  [require("./adapter/audit.cjs").schema.$defs.query_result.properties.records.items.anyOf[0], require("./adapter/audit.cjs").validators["/$defs/query_result/properties/records/items/anyOf/0"]],
  [require("./adapter/audit.cjs").schema.$defs.query_result.properties.records.items.anyOf[1], require("./adapter/audit.cjs").validators["/$defs/query_result/properties/records/items/anyOf/1"]],
  [require("./adapter/action.cjs").schema.$defs.invoke_result.oneOf[0], require("./adapter/action.cjs").validators["/$defs/invoke_result/oneOf/0"]],
  [require("./adapter/action.cjs").schema.$defs.invoke_result.oneOf[1], require("./adapter/action.cjs").validators["/$defs/invoke_result/oneOf/1"]],
]);
