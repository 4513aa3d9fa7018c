import { readFileSync } from 'node:fs';
import { type Application, type Comment, type DeclarationReflection, ReflectionKind } from 'typedoc';

/** What needs a comment where it is public; of parameters the sentence speaks that says what is done with them. */
export const DOCUMENTED = [
  'Variable',
  'Function',
  'Class',
  'Interface',
  'TypeAlias',
  'Method',
  'Accessor',
  'Property',
  'Constructor',
] as const;

/**
 * A plugin of TypeDoc: a public function, class or method without an example is a warning, and so is an example that is not
 * word for word a region of one of the given tests, which compile it and run it, or a region that is no example.
 */
export function demandExamples(tests: readonly string[]): (app: Application) => void {
  return app => {
    app.on('validateProject', project => {
      const left = new Map(tests.flatMap(file => regionsIn(readFileSync(file, 'utf8'), file)));
      const run = new Map([...left].map(([place, code]) => [code, place]));
      for (const reflection of project.getReflectionsByKind(ReflectionKind.FunctionOrMethod | ReflectionKind.Class)) {
        const declaration = reflection as DeclarationReflection;
        if (
          declaration.flags.isExternal ||
          declaration.parent?.kindOf(ReflectionKind.Interface | ReflectionKind.TypeLiteral)
        )
          continue;
        const name = declaration.getFriendlyFullName();
        const examples = commentsOf(declaration).flatMap(examplesIn);
        if (examples.length === 0) app.logger.warn(`${name} has no @example; show a call of it.`);
        for (const code of examples) {
          const place = run.get(code);
          if (place === undefined)
            app.logger.warn(`The @example of ${name} is no region of ${tests.join(', ')}:\n${code}`);
          else left.delete(place);
        }
      }
      for (const place of left.keys()) app.logger.warn(`${place} is the @example of nothing.`);
    });
  };
}

/** The comment of a class, or those of the signatures of what is called. */
function commentsOf({ comment, signatures = [] }: DeclarationReflection): Comment[] {
  return [comment, ...signatures.map(signature => signature.comment)].flatMap(found => found ?? []);
}

/** The code of the examples of a comment, without its fences. */
function examplesIn(comment: Comment): string[] {
  return comment.getTags('@example').map(({ content }) =>
    content
      .map(({ text }) => text)
      .join('')
      .replace(/^```\w*\n|\n```$/g, '')
      .trim(),
  );
}

/** The code between `// #region name` and `// #endregion`, moved to the left, each with the place where it stands. */
function regionsIn(text: string, file: string): [place: string, code: string][] {
  return [...text.matchAll(/^( *)\/\/ #region (.+)\n([\s\S]*?)^ *\/\/ #endregion$/gm)].map(
    ([, indent = '', name = '', body = '']) => [
      `${file}#${name}`,
      body.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim(),
    ],
  );
}
