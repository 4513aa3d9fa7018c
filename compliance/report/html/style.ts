/** The style of the report: system fonts, light and dark, one column on a narrow screen, nothing loaded from elsewhere. */
export const STYLE = `
:root { color-scheme: light dark;
  --paper: light-dark(#ffffff, #0f1418); --ground: light-dark(#f4f6f8, #161c22); --line: light-dark(#d9dfe5, #2b343d);
  --ink: light-dark(#17212b, #e6ebf0); --soft: light-dark(#56626e, #9aa7b4);
  --good: light-dark(#14703a, #58c98b); --good-ground: light-dark(#e4f5ea, #12301f);
  --bad: light-dark(#b3202b, #ff8a8a); --bad-ground: light-dark(#fdeaea, #3a1618);
  --warn: light-dark(#7a5600, #e6b84d); --warn-ground: light-dark(#fdf3d7, #33280c);
  --main: light-dark(#1f5fbf, #7fb2ff); --main-ground: light-dark(#e8f0fc, #132539); }
:root[data-theme=light] { color-scheme: light; } :root[data-theme=dark] { color-scheme: dark; }
* { box-sizing: border-box; } [hidden] { display: none !important; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
.wrap { max-width: 1120px; margin: 0 auto; padding: 0 20px; }
h1, h2, h3, h4, p { margin: 0; } h1 { font-size: clamp(1.5rem, 4vw, 2.1rem); line-height: 1.2; letter-spacing: -.01em; }
h2 { font-size: 1.3rem; margin: 52px 0 14px; letter-spacing: -.01em; } h3 { font-size: 1.05rem; } h4 { font-size: .9rem; color: var(--soft); font-weight: 600; margin: 22px 0 8px; }
a { color: var(--main); } code, pre, .mono { font: .86em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 2px; border-radius: 4px; }
.skip { position: absolute; left: -999px; } .skip:focus { left: 12px; top: 12px; background: var(--paper); padding: 8px 12px; z-index: 3; }
.soft { color: var(--soft); } .small { font-size: .88rem; }
header { background: var(--ground); border-bottom: 1px solid var(--line); padding: 30px 0 26px; }
.top { display: flex; gap: 16px; justify-content: space-between; align-items: flex-start; }
.over { color: var(--soft); font-size: .85rem; font-weight: 600; margin-bottom: 6px; }
.verdict { margin: 12px 0 0; font-weight: 650; font-size: 1.05rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 14px 20px; margin: 22px 0 0; }
.facts dt { color: var(--soft); font-size: .8rem; } .facts dd { margin: 0; font-weight: 550; }
.command { display: flex; align-items: stretch; margin-top: 12px; border: 1px solid var(--line); border-radius: 8px; background: var(--paper); overflow: hidden; }
.command code { flex: 1; padding: 10px 14px; overflow-wrap: anywhere; } .command button { border: 0; border-left: 1px solid var(--line); border-radius: 0; }
button, input, select { font: inherit; color: inherit; } button { cursor: pointer; background: var(--ground); border: 1px solid var(--line); border-radius: 8px; padding: 6px 12px; min-height: 36px; }
#theme { flex: none; white-space: nowrap; } abbr { text-decoration: none; cursor: help; }
button:hover { border-color: var(--soft); } button[aria-pressed=true] { background: var(--main-ground); border-color: var(--main); color: var(--main); }
.pill { display: inline-block; padding: 1px 10px; border-radius: 99px; font-size: .8rem; font-weight: 650; white-space: nowrap; }
.good { color: var(--good); } .bad { color: var(--bad); } .warn { color: var(--warn); } .quiet { color: var(--soft); }
.pill.good { background: var(--good-ground); } .pill.bad { background: var(--bad-ground); } .pill.warn { background: var(--warn-ground); } .pill.quiet { background: var(--ground); }
.stack { display: flex; height: 14px; border-radius: 7px; overflow: hidden; gap: 2px; margin: 22px 0 10px; } .stack i { min-width: 3px; }
.stack .good, .meter .good { background: var(--good); } .stack .bad, .meter .bad { background: var(--bad); } .stack .warn, .meter .warn { background: var(--warn); } .stack .quiet { background: var(--soft); }
.stack .none { background: repeating-linear-gradient(135deg, var(--line) 0 4px, transparent 4px 8px); border: 1px solid var(--line); border-radius: 0 7px 7px 0; }
.legend { display: flex; flex-wrap: wrap; gap: 4px 20px; margin: 0; padding: 0; list-style: none; font-size: .9rem; } .legend b { font-variant-numeric: tabular-nums; }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(232px, 1fr)); gap: 14px; }
.card { border: 1px solid var(--line); border-radius: 12px; padding: 16px 18px; background: var(--paper); border-top: 4px solid var(--line); }
.card.good { border-top-color: var(--good); } .card.bad { border-top-color: var(--bad); } .card.warn { border-top-color: var(--warn); } .card > * { color: var(--ink); }
.card .row { display: flex; justify-content: space-between; align-items: center; gap: 8px; } .card .soft { color: var(--soft); }
.card .pill.good { color: var(--good); } .card .pill.bad { color: var(--bad); } .card .pill.warn { color: var(--warn); } .card .pill.quiet { color: var(--soft); }
.card .big { font-size: 1.7rem; font-weight: 650; letter-spacing: -.02em; margin: 10px 0 0; font-variant-numeric: tabular-nums; line-height: 1.2; }
.card p.small { margin-top: 8px; }
.meter { display: flex; height: 6px; border-radius: 3px; background: var(--line); overflow: hidden; margin-top: 10px; }
.failure { border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 12px; margin: 0 0 16px; }
.failure > summary { padding: 14px 18px; cursor: pointer; list-style: none; display: flex; gap: 6px 12px; align-items: baseline; flex-wrap: wrap; } .failure > summary::-webkit-details-marker { display: none; }
.failure > summary::before { content: "▸"; color: var(--soft); } .failure[open] > summary::before { content: "▾"; }
.failure > summary .what { flex: 1 1 260px; } .inside { padding: 0 18px 18px; }
blockquote { margin: 4px 0 0; padding: 8px 14px; border-left: 3px solid var(--main); background: var(--main-ground); border-radius: 0 8px 8px 0; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 12px; } .pair > div { border-radius: 8px; padding: 10px 14px; min-width: 0; }
.pair .label { font-size: .8rem; font-weight: 650; } .pair .good { background: var(--good-ground); } .pair .bad { background: var(--bad-ground); } .pair pre { color: var(--ink); }
pre { margin: 4px 0 0; white-space: pre-wrap; max-height: 420px; overflow-y: auto; } pre.box { background: var(--ground); border-radius: 8px; padding: 12px 14px; }
.picture { display: block; width: 100%; height: auto; max-height: 460px; }
.picture text { fill: var(--ink); font-size: 11.5px; } .picture .edge text { font-size: 10px; } .picture path, .picture polygon, .picture ellipse, .picture polyline { fill: none; stroke: var(--soft); stroke-width: 1.2; }
.picture > g > polygon:first-child { stroke: none; } .picture .edge polygon { fill: var(--soft); } .picture .edge text { fill: var(--soft); } .picture .dead { opacity: .45; }
.picture .node.good > :not(text) { stroke: var(--good); fill: var(--good-ground); } .picture .node.bad > :not(text) { stroke: var(--bad); fill: var(--bad-ground); }
.picture .node.warn > :not(text) { stroke: var(--warn); fill: var(--warn-ground); } .picture .node.quiet > :not(text) { stroke-dasharray: 3 3; }
.picture .node.about > :not(text) { stroke-width: 3; stroke: var(--bad); stroke-dasharray: none; }
.time { list-style: none; margin: 0; padding: 0 0 0 22px; position: relative; } .time::before { content: ""; position: absolute; left: 6px; top: 8px; bottom: 8px; width: 2px; background: var(--line); }
.time li { position: relative; padding: 3px 0; font-size: .92rem; } .time li::before { content: ""; position: absolute; left: -21px; top: 10px; width: 8px; height: 8px; border-radius: 50%; background: var(--paper); border: 2px solid var(--soft); }
.time .word { display: inline-block; min-width: 5.2em; font-weight: 600; } .time .about { background: var(--bad-ground); border-radius: 6px; padding-left: 6px; }
.time .kill { color: var(--bad); font-weight: 600; border-block: 2px solid var(--bad); margin: 6px 0; padding: 5px 0; } .time .kill::before { border-color: var(--bad); background: var(--bad); border-radius: 2px; transform: rotate(45deg); top: 13px; }
.time .was { border-left: 3px solid var(--bad); padding-left: 10px; margin-top: 4px; } .time .should { border-left: 3px solid var(--good); padding-left: 10px; margin-top: 4px; } .time .was::before { border-color: var(--bad); background: var(--bad); left: -24px; } .time .should::before { border-color: var(--good); background: var(--good); left: -24px; }
details.more { margin-top: 14px; } details.more > summary { cursor: pointer; color: var(--main); font-size: .92rem; padding: 4px 0; }
.filters { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; position: sticky; top: 0; background: var(--paper); padding: 10px 0; z-index: 1; }
.filters input, .filters select { border: 1px solid var(--line); border-radius: 8px; padding: 6px 12px; min-height: 36px; background: var(--paper); max-width: 100%; } .filters input { flex: 1 1 180px; min-width: 0; }
table { border-collapse: collapse; width: 100%; font-size: .92rem; } th { text-align: left; overflow-wrap: normal; font-size: .8rem; color: var(--soft); font-weight: 600; padding: 8px 10px; border-bottom: 1px solid var(--line); vertical-align: bottom; }
td.says { min-width: 300px; width: 50%; } table code { font-size: .92em; }
td { padding: 9px 10px; border-bottom: 1px solid var(--line); vertical-align: top; } td.id { font-weight: 650; white-space: nowrap; } td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
tr:target { background: var(--main-ground); } td .small { display: block; margin-top: 3px; }
tr[hidden] { display: none; } .none-left { padding: 24px 10px; color: var(--soft); }
dl.claim { display: grid; grid-template-columns: minmax(170px, 1fr) 3fr; gap: 0; margin: 0; } dl.claim > * { padding: 8px 10px; margin: 0; border-bottom: 1px solid var(--line); min-width: 0; } dl.claim dt { color: var(--soft); font-size: .9rem; }
footer { margin: 60px 0 40px; color: var(--soft); font-size: .88rem; }
@media (max-width: 720px) {
  .pair { grid-template-columns: 1fr; } dl.claim { grid-template-columns: 1fr; } dl.claim dt { border: 0; padding-bottom: 0; } .filters { position: static; }
  table.cards-narrow thead { position: absolute; left: -9999px; } table.cards-narrow tr { display: block; border-bottom: 1px solid var(--line); padding: 10px 0; }
  table.cards-narrow tr[hidden] { display: none; } table.cards-narrow td, table.cards-narrow th { width: auto; min-width: 0; } table.cards-narrow td { display: block; border: 0; padding: 2px 0; } table.cards-narrow td[data-label]::before { content: attr(data-label) " "; color: var(--soft); font-size: .85rem; } table.cards-narrow td:empty { display: none; }
}
@media print { .filters, button { display: none; } .failure { break-inside: avoid; } }
@media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
`;
