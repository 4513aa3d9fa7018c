/** The colours of a diagram in one scheme. A class of a node, an edge or a cluster names one of the pairs. */
const SCHEMES = {
  light: {
    paper: '#ffffff',
    ink: '#1f2328',
    line: '#59636e',
    plain: '#f6f8fa',
    zone: '#eaeef2',
    good: ['#dafbe1', '#1a7f37'],
    bad: ['#ffebe9', '#cf222e'],
    warn: ['#fff8c5', '#9a6700'],
    main: ['#ddf4ff', '#0969da'],
  },
  dark: {
    paper: '#0d1117',
    ink: '#f0f6fc',
    line: '#9198a1',
    plain: '#212830',
    zone: '#151b23',
    good: ['#12361f', '#3fb950'],
    bad: ['#3c1618', '#f85149'],
    warn: ['#3a2d09', '#d29922'],
    main: ['#0c2d5e', '#4493f8'],
  },
} as const;

const CLASSES = ['good', 'bad', 'warn', 'main'] as const;

/** Gives the style sheet of a diagram: its own paper, so that it is readable on any page, and colours for both schemes. */
export function styleSheet(): string {
  return `${schemeOf(SCHEMES.light)}@media (prefers-color-scheme: dark){${schemeOf(SCHEMES.dark)}}`;
}

function schemeOf(scheme: (typeof SCHEMES)[keyof typeof SCHEMES]): string {
  const { paper, ink, line, plain, zone } = scheme;
  const rules = [
    `text{fill:${ink};font-family:Helvetica,Arial,"Liberation Sans",sans-serif}`,
    `.paper{fill:${paper};stroke:${line};stroke-opacity:.3}`,
    `.node path,.node polygon,.node ellipse{fill:${plain};stroke:${line}}`,
    `.node polyline{stroke:${line}}`,
    `.cluster path,.cluster polygon{fill:${zone};stroke:none}`,
    `.edge path{stroke:${line}}.edge polygon{fill:${line};stroke:${line}}`,
    `.note path,.note polygon{fill:none;stroke:none}`,
    ...CLASSES.flatMap(name => {
      const [fill, stroke] = scheme[name];
      return [
        `.node.${name} path,.node.${name} polygon,.node.${name} ellipse{fill:${fill};stroke:${stroke}}`,
        `.cluster.${name} path,.cluster.${name} polygon{fill:${fill};stroke:${stroke}}`,
        `.edge.${name} path,.edge.${name} polygon{stroke:${stroke}}.edge.${name} polygon{fill:${stroke}}`,
        `.edge.${name} text{fill:${stroke}}`,
      ];
    }),
  ];
  return rules.join('');
}
