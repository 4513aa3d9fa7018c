import remarkFrontmatter from 'remark-frontmatter';
import remarkGfm from 'remark-gfm';
import remarkValidateLinks from 'remark-validate-links';
import { normativeWords } from './dist/scripts/remark/normative-words.js';
import { tableCells } from './dist/scripts/remark/table-cells.js';

export default {
  plugins: [remarkFrontmatter, remarkGfm, [remarkValidateLinks, { repository: false }], normativeWords, tableCells],
};
