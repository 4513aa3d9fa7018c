import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readWorkflow } from '../implementations/typescript/workflow-file.js';
import { executionLifeCycle, recoveryDecisions } from './diagrams/from-chapters.js';
import { workflowDiagram } from './diagrams/from-workflow.js';
import { type Diagram, readDiagram, renderDiagram } from './diagrams/render.js';
import { readChapters } from './generate-requirements.js';
import { type Generated, listFiles, ROOT } from './project.js';

/** Gives the pictures of `assets/`: from the sources there, from tables of the chapters, and from an example. */
export async function generateDiagrams(): Promise<Generated> {
  const chapters = readChapters();
  const diagrams: Diagram[] = [
    ...listFiles('assets', '.dot').map(path =>
      readDiagram(basename(path, '.dot'), readFileSync(join(ROOT, path), 'utf8')),
    ),
    executionLifeCycle(chapters),
    recoveryDecisions(chapters),
    workflowDiagram('workflow-example', readWorkflow(join(ROOT, 'examples/02-branching/review.yaml'))),
  ];
  const files: Record<string, string> = {};
  for (const diagram of diagrams) files[`assets/${diagram.name}.svg`] = await renderDiagram(diagram);
  const problems = diagrams
    .filter(({ title, description }) => title === '' || description === '')
    .map(({ name }) => `assets/${name}.dot: a reader who cannot see it needs // title: … and // desc: …`);
  return { files, problems };
}
