import type { Plant } from './plants-graph.js';
import { plainAction, type Site } from './site.js';

/** A defect in what an action node hands over. */
function mapping(kind: string, text: (site: Site, name: string) => unknown, key = 'text'): Plant {
  return {
    rule: 'S8',
    kind,
    plant(site) {
      const step = site.action();
      site.between(step);
      const node = site.nodes.find(({ node_id }) => node_id === step) as { input_mapping?: object };
      node.input_mapping = { [key]: text(site, step) };
      return `${site.pointer(step)}/input_mapping/${key}`;
    },
  };
}

/** A defect in an expression. */
function expression(kind: string, source: string): Plant {
  return {
    rule: 'S8',
    kind,
    plant(site) {
      const condition = site.condition(source);
      site.end(condition, 'default');
      site.between(condition, condition, 'true');
      return `${site.pointer(condition)}/expression`;
    },
  };
}

/** A defect in a reference to an action. */
function reference(kind: string, action_def: string): Plant {
  return {
    rule: 'S7',
    kind,
    plant(site) {
      site.define(plainAction('known'));
      const step = site.action({ action_def });
      site.between(step);
      return `${site.pointer(step)}/action_def`;
    },
  };
}

/** A defect at a skill node. */
function skill(kind: string, more: object, place: string): Plant {
  return {
    rule: 'S13',
    kind,
    plant(site) {
      const step = site.skill();
      Object.assign(site.nodes.at(-1) as object, more);
      site.between(step);
      return site.pointer(step) + place;
    },
  };
}

/** Defects of references and values: S7, S8, S12 to S14. */
export const VALUE_PLANTS: readonly Plant[] = [
  reference('no-such-action', 'nowhere@^1'),
  reference('no-such-version', 'known@^2'),
  reference('no-range', 'known@one or two'),
  expression('expression-syntax', 'inputs.urgent &&'),
  expression('expression-operator', 'inputs.text > inputs.amount'),
  expression('expression-function', 'size(inputs.amount) > 3'),
  {
    rule: 'S8',
    kind: 'expression-member',
    plant(site) {
      const items = { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false };
      site.workflow.inputs = { ...site.workflow.inputs, rows: { schema: { type: 'array', items } } };
      const condition = site.condition('inputs.rows.exists(row, row.nmae == "x")');
      site.end(condition, 'default');
      site.between(condition, condition, 'true');
      return `${site.pointer(condition)}/expression`;
    },
  },
  {
    rule: 'S8',
    kind: 'no-outputs-named',
    plant(site) {
      const before = site.action();
      const condition = site.condition(`nodes["${before}"].text == "x"`);
      site.end(condition, 'default');
      site.edge(before, condition, 'success');
      site.between(before, condition, 'true');
      return `${site.pointer(condition)}/expression`;
    },
  },
  {
    rule: 'S8',
    kind: 'expression-type',
    plant(site) {
      const condition = site.condition('inputs.amount');
      site.between(condition, condition, 'default');
      return `${site.pointer(condition)}/expression`;
    },
  },
  mapping('reference-syntax', () => '${inputs.text'),
  mapping('misplaced', () => '${result.text}'),
  mapping('unknown-input', () => '${inputs.txet}'),
  mapping('unknown-node', () => '${nodes.nowhere.outputs.text}'),
  mapping('node-without-outputs', site => {
    const condition = site.pass();
    site.between(condition, condition, 'default');
    return `\${nodes.${condition}.outputs.text}`;
  }),
  {
    rule: 'S8',
    kind: 'error-member',
    plant(site) {
      const [step, after] = [site.action(), site.action({ input_mapping: { text: '${error.message}' } })];
      const error = site.add({ type: 'error', handling: 'rollback' });
      for (const edge of site.edges) if (edge.from_node === step) edge.to_node = error;
      site.edge(error, after, 'success');
      site.end(after);
      site.between(step);
      return `${site.pointer(after)}/input_mapping/text`;
    },
  },
  mapping('missing-output', site => `\${nodes.${site.start}.outputs.txet}`),
  mapping('optional-input', () => '${inputs.note}'),
  mapping('error-elsewhere', () => '${error.node_id}'),
  mapping('own-outputs', (_, name) => `\${nodes.${name}.outputs.text}`),
  mapping('no-ancestor', (site, name) => {
    const later = site.action();
    const edge = site.edges.find(({ from_node, label }) => from_node === name && label === 'success');
    site.edge(later, edge?.to_node ?? '', 'success');
    if (edge !== undefined) edge.to_node = later;
    return `\${nodes.${later}.outputs.text}`;
  }),
  {
    rule: 'S8',
    kind: 'uncertain',
    plant(site) {
      const [condition, maybe] = [site.condition(), site.action()];
      const join = site.action({ join_type: 'OR', input_mapping: { text: `\${nodes.${maybe}.outputs.text}` } });
      site.edge(condition, maybe, 'true');
      site.edge(maybe, join, 'success');
      site.edge(condition, join, 'false');
      site.between(condition, join);
      return `${site.pointer(join)}/input_mapping/text`;
    },
  },
  {
    rule: 'S8',
    kind: 'uncertain-output',
    plant(site) {
      const step = site.action();
      site.end(step);
      site.aside(step);
      site.workflow.outputs = { ...site.workflow.outputs, more: `\${nodes.${step}.outputs.text}` };
      return '/outputs/more';
    },
  },
  mapping('unknown-action-input', () => 1, 'color'),
  mapping('type-of-action-input', () => '${inputs.amount}'),
  {
    rule: 'S8',
    kind: 'missing-action-input',
    plant(site) {
      const input_schema = { type: 'object', required: ['text'] };
      const step = site.action({}, { input_schema });
      site.between(step);
      return site.pointer(step);
    },
  },
  {
    rule: 'S8',
    kind: 'default-of-input',
    plant({ workflow }) {
      workflow.inputs = { ...workflow.inputs, days: { schema: { type: 'integer' }, default: 'week' } };
      return '/inputs/days/default';
    },
  },
  {
    rule: 'S12',
    kind: 'no-such-skill',
    plant(site) {
      const step = site.skill({ workflow_ref: 'nowhere@^1' });
      site.between(step);
      return `${site.pointer(step)}/workflow_ref`;
    },
  },
  {
    rule: 'S13',
    kind: 'no-such-version',
    plant(site) {
      const step = site.skill();
      const node = site.nodes.at(-1) as { workflow_ref: string };
      node.workflow_ref = node.workflow_ref.replace('^1', '^2');
      site.between(step);
      return `${site.pointer(step)}/workflow_ref`;
    },
  },
  {
    rule: 'S13',
    kind: 'no-range',
    plant(site) {
      const step = site.skill();
      const node = site.nodes.at(-1) as { workflow_ref: string };
      node.workflow_ref = node.workflow_ref.replace('^1', 'the first');
      site.between(step);
      return `${site.pointer(step)}/workflow_ref`;
    },
  },
  skill('missing-input', { input_mapping: {} }, '/input_mapping'),
  skill('unknown-input', { input_mapping: { text: 'x', more: 1 } }, '/input_mapping/more'),
  skill('type-of-input', { input_mapping: { text: 3 } }, '/input_mapping/text'),
  skill('missing-output', { output_mapping: { sum: '${result.sum}' } }, '/output_mapping/sum'),
  {
    rule: 'S14',
    kind: 'contains-itself',
    plant(site) {
      // A skill does all that its content does, so what cannot be undone would be another matter.
      if (site.hasIrreversible) return undefined;
      const step = site.add({
        type: 'skill',
        workflow_ref: 'sound@^1',
        input_mapping: { text: 'x', urgent: false },
      });
      site.fails(step);
      site.between(step);
      return `${site.pointer(step)}/workflow_ref`;
    },
  },
  {
    rule: 'S14',
    kind: 'leads-to-cycle',
    plant(site) {
      const name = `planted-child-${site.registry.workflows?.length ?? 0}`;
      const step = site.skill(
        {},
        {
          nodes: [
            { node_id: 'inside', type: 'skill', workflow_ref: `${name}@^1`, input_mapping: { text: 'x' } },
            { node_id: 'end', type: 'terminal', status: 'completed' },
          ],
        },
      );
      site.between(step);
      return `${site.pointer(step)}/workflow_ref`;
    },
  },
];
