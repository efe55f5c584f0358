import { graphlib, layout } from '@dagrejs/dagre';
import { createReader } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';
import type { GraphEdge, GraphNode, StateGraph } from './state-graph';

const NODE_FONT_PX = 14;
const EDGE_FONT_PX = 11;
/** Average character width of a sans-serif font as a fraction of its size, with a margin for other fonts. */
const CHARACTER_WIDTH = 0.6;
const LINE_HEIGHT = 1.35;
const PADDING_PX = 12;
const MARGIN_PX = 24;
const TITLE_PX = 44;
const CORNER_PX = 8;
const BEND_PX = 22;

const FILLS: Readonly<Record<GraphNode['kind'], string>> = {
  status: '#eef4ff',
  start: '#e5e7eb',
  end: '#e5e7eb',
  gathering: '#fff7e6',
};
const STROKES: Readonly<Record<GraphNode['kind'], string>> = {
  status: '#2f5fb3',
  start: '#6b7280',
  end: '#6b7280',
  gathering: '#b7791f',
};

const width = (lines: readonly string[], fontPx: number): number =>
  Math.max(...lines.map((line) => line.length)) * fontPx * CHARACTER_WIDTH;
const height = (lines: readonly string[], fontPx: number): number => lines.length * fontPx * LINE_HEIGHT;

/** Renders a self-contained picture without scripts or external fonts, on a light background for dark pages. */
export function toSvg(graph: StateGraph, title: string, direction: 'down' | 'right'): string {
  const drawn = new graphlib.Graph({ multigraph: true });
  drawn.setGraph({
    rankdir: direction === 'down' ? 'TB' : 'LR',
    nodesep: 28,
    ranksep: 44,
    edgesep: 18,
    marginx: MARGIN_PX,
    marginy: MARGIN_PX,
  });
  drawn.setDefaultEdgeLabel(() => ({}));
  for (const node of graph.nodes)
    drawn.setNode(node.id, {
      width: width(node.lines, NODE_FONT_PX) + 2 * PADDING_PX,
      height: height(node.lines, NODE_FONT_PX) + 1.2 * PADDING_PX,
    });
  for (const [index, edge] of graph.edges.entries())
    drawn.setEdge(
      edge.from,
      edge.to,
      {
        width: width(edge.lines, EDGE_FONT_PX) + PADDING_PX,
        height: height(edge.lines, EDGE_FONT_PX) + 4,
        labelpos: 'c',
      },
      String(index),
    );
  layout(drawn);

  const { width: graphWidth, height: graphHeight } = readSize(drawn.graph());
  const totalWidth = Math.ceil(Math.max(graphWidth, title.length * 18 * CHARACTER_WIDTH + 2 * MARGIN_PX));
  const totalHeight = Math.ceil(graphHeight + TITLE_PX);
  const edges = graph.edges.map((edge, index) => {
    const { points, x, y } = readLine(drawn.edge(edge.from, edge.to, String(index)));
    return { line: edgeLine(points), label: edgeLabel(edge, x, y) };
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${totalWidth} ${totalHeight}" width="${totalWidth}" height="${totalHeight}" role="img" font-family="DejaVu Sans, Verdana, Helvetica, Arial, sans-serif">`,
    `<title>${escape(title)}</title>`,
    '<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L10 5L0 10z" fill="#4b5563"/></marker></defs>',
    `<rect width="${totalWidth}" height="${totalHeight}" fill="#ffffff"/>`,
    `<text x="${MARGIN_PX}" y="30" font-size="18" font-weight="bold" fill="#111827">${escape(title)}</text>`,
    `<g transform="translate(0 ${TITLE_PX - MARGIN_PX / 2})">`,
    ...edges.map(({ line }) => line),
    ...graph.nodes.map((node) => box(node, readBox(drawn.node(node.id)))),
    ...edges.map(({ label }) => label),
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

const number = Type.Number();
const POINT = Type.Object({ x: number, y: number });
type Point = Static<typeof POINT>;
const BOX = Type.Object({ x: number, y: number, width: number, height: number });
type Box = Static<typeof BOX>;

/** What the layout library wrote into its graph. */
const readSize = createReader(Type.Object({ width: number, height: number }), { name: 'the graph' });
const readBox = createReader(BOX, { name: 'the node' });
const readLine = createReader(Type.Object({ points: Type.Array(POINT), x: number, y: number }), { name: 'the edge' });

function box(node: GraphNode, { x, y, width: w, height: h }: Box): string {
  const dashes = node.kind === 'gathering' ? ' stroke-dasharray="5 3"' : '';
  const weight = node.kind === 'gathering' ? 'normal' : 'bold';
  return [
    `<rect x="${n(x - w / 2)}" y="${n(y - h / 2)}" width="${n(w)}" height="${n(h)}" rx="${CORNER_PX}" fill="${FILLS[node.kind]}" stroke="${STROKES[node.kind]}" stroke-width="1.5"${dashes}/>`,
    text(node.lines, x, y, NODE_FONT_PX, `font-weight="${weight}" fill="#111827"`),
  ].join('\n');
}

function edgeLine(points: readonly Point[]): string {
  return `<path d="${curve(points)}" fill="none" stroke="#4b5563" stroke-width="1.3" marker-end="url(#tip)"/>`;
}

/** Labels have a background, so crossing lines do not strike them through. */
function edgeLabel({ lines }: GraphEdge, x: number, y: number): string {
  const [w, h] = [width(lines, EDGE_FONT_PX), height(lines, EDGE_FONT_PX)];
  return [
    `<rect x="${n(x - w / 2)}" y="${n(y - h / 2)}" width="${n(w)}" height="${n(h)}" fill="#ffffff" fill-opacity="0.85"/>`,
    text(lines, x, y, EDGE_FONT_PX, 'fill="#374151"'),
  ].join('\n');
}

function text(lines: readonly string[], x: number, y: number, fontPx: number, style: string): string {
  const first = y - ((lines.length - 1) * fontPx * LINE_HEIGHT) / 2 + fontPx * 0.35;
  const spans = lines.map(
    (line, index) => `<tspan x="${n(x)}" y="${n(first + index * fontPx * LINE_HEIGHT)}">${escape(line)}</tspan>`,
  );
  return `<text font-size="${fontPx}" text-anchor="middle" ${style}>${spans.join('')}</text>`;
}

/** Straight between points and rounded at them, so the line passes through its label. */
function curve(points: readonly Point[]): string {
  const steps = points.map((point, index) => {
    const [before, after] = [points[index - 1], points[index + 1]];
    if (!before) return `M${n(point.x)} ${n(point.y)}`;
    if (!after) return `L${n(point.x)} ${n(point.y)}`;
    const [start, end] = [towards(point, before), towards(point, after)];
    return `L${n(start.x)} ${n(start.y)}Q${n(point.x)} ${n(point.y)} ${n(end.x)} ${n(end.y)}`;
  });
  return steps.join('');
}

/** A little way from one point to another, at most half of it. */
function towards(from: Point, to: Point): Point {
  const distance = Math.hypot(to.x - from.x, to.y - from.y) || 1;
  const share = Math.min(BEND_PX / distance, 0.5);
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

const n = (value: number): string => String(Math.round(value * 10) / 10);

export function escape(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
