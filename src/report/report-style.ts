/** How the report looks: light and dark, and readable on a phone. */
import { printable } from '../printable.js'

export function escapeText(text: string): string {
  return printable(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

export const REPORT_STYLE = `
:root { color-scheme: light dark; --page: #f6f8fa; --card: #fff; --ink: #1b2733; --soft: #52616f; --line: #d5dde5; }
@media (prefers-color-scheme: dark) {
  :root { --page: #10161d; --card: #182029; --ink: #e6edf3; --soft: #9fb0c0; --line: #2d3945; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: clamp(1.5rem, 5vw, 2.2rem); line-height: 1.2; margin: 8px 0; }
h2 { font-size: 1.15rem; margin: 40px 0 12px; }
.lead { font-size: 1.05rem; color: var(--soft); margin: 0 0 20px; max-width: 62ch; }
.warning { border-left: 4px solid #c47a00; background: var(--card); padding: 8px 12px; margin: 0 0 12px; }
video, img, svg { max-width: 100%; height: auto; display: block; }
video { width: 100%; border-radius: 10px; background: #000; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
figcaption { padding: 8px 12px; color: var(--soft); }
.pair, .plots { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 400px), 1fr)); }
.pair img { width: 100%; }
.plots figure { padding: 10px; }
.plots svg { width: 100%; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 10px; background: #fff; }
.wide svg { width: 100%; min-width: 640px; }
table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 6px clamp(6px, 1.5vw, 12px); border-top: 1px solid var(--line); }
td { overflow-wrap: anywhere; }
th { font-weight: 600; }
.bar { display: block; height: 4px; border-radius: 2px; margin-top: 3px; }
.sum th, .sum td { border-top: 2px solid var(--line); }
pre { overflow-x: auto; padding: 12px 14px; background: var(--card); border: 1px solid var(--line); border-radius: 10px; }
`
