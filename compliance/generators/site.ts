import type { Edge, ErrorNode, Node } from '../../schemas/types.js';
import type { Builder, Frontier, Port } from './build.js';

/** Makes nodes and edges by hand, sound or not. */
export class Site {
  readonly builder: Builder;

  constructor(builder: Builder) {
    this.builder = builder;
  }

  action(...ins: Port[]): Port {
    return this.builder.plain(frontier(ins));
  }

  terminal(ins: readonly Port[], join: 'AND' | 'OR' = 'OR'): string {
    return this.builder.terminal('completed', { ports: ins, join });
  }

  condition(from: Port, expression = this.builder.use('flag')): string {
    const node_id = this.builder.name();
    this.builder.place({ node_id, type: 'condition', expression }, frontier([from]));
    return node_id;
  }

  error(handling: ErrorNode['handling'], ins: readonly Port[]): string {
    const node_id = this.builder.name();
    this.builder.place({ node_id, type: 'error', handling }, frontier(ins));
    return node_id;
  }

  edge(from_node: string, label: string, to_node: string): Edge {
    const edge = { from_node, to_node, label };
    this.builder.edges.push(edge);
    return edge;
  }

  /** Changes fields of a node that exists. */
  alter(node_id: string, change: (node: Node) => Node): void {
    const at = this.builder.nodes.findIndex(node => node.node_id === node_id);
    const node = this.builder.nodes[at];
    if (node !== undefined) this.builder.nodes[at] = change(node);
  }

  fanOut(node_id: string): void {
    this.alter(node_id, node => ({ ...node, fan_out: 'parallel' }) as Node);
  }

  join(node_id: string, join_type: 'AND' | 'OR' | undefined): void {
    this.alter(node_id, node => {
      const { join_type: _, ...rest } = node;
      return (join_type === undefined ? rest : { ...rest, join_type }) as Node;
    });
  }
}

/** Open ends that an OR joins. */
export function frontier(ports: readonly Port[]): Frontier {
  return { ports, join: 'OR' };
}

/** An out-edge like another one, of another node or label. */
export function port(from: string, label: string, like: Port): Port {
  return { ...like, from, label };
}
