/** The page's style sheet. Light and dark, print, no external font or image, no style attribute anywhere. */

/**
 * Colours of the categories: the palette of Okabe and Ito, made for readers with any kind of colour vision,
 * told apart by the order in the legend and by hatching as well.
 */
export const PAGE_STYLE = `
:root{color-scheme:light dark;--bg:#ffffff;--fg:#1f2328;--soft:#57606a;--line:#d1d9e0;--card:#f6f8fa;--link:#0550ae;--code:#eff1f3;--bad:#b42318;--warn:#7a4b00;--good:#116329;--neutral:#57606a;
--parameter:#0072b2;--gradient:#009e73;--optimizer_state:#cc79a7;--activation:#e69f00;--input:#f0e442;--unknown:#8c8c8c;--allocated:#0072b2;--unused:#c8ccd1;--others:#d55e00;--outside:#56b4e9;--free:#ffffff;--edge:#57606a}
@media (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--soft:#9aa4af;--line:#30363d;--card:#151b23;--link:#79c0ff;--code:#21262d;--bad:#ff8a80;--warn:#e3b341;--good:#56d364;--neutral:#9aa4af;
--parameter:#3d9bd6;--gradient:#1fb88c;--optimizer_state:#d98ab6;--activation:#e8a820;--input:#f0e442;--unknown:#9a9a9a;--allocated:#3d9bd6;--unused:#4b535d;--others:#e8712a;--outside:#7cc4ee;--free:#0d1117;--edge:#9aa4af}}
*{box-sizing:border-box}
html{scroll-padding-top:4rem}
body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;overflow-wrap:break-word}
a{color:var(--link)}
a:focus-visible,button:focus-visible,summary:focus-visible,select:focus-visible,canvas:focus-visible,.scroll:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:.5rem;background:var(--bg);padding:.5rem;z-index:9}
header,main,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}
header{padding-top:1.75rem}
h1{font-size:1.75rem;line-height:1.25;margin:0 0 .75rem}
h1 .tone{display:inline-block;width:.62em;height:.62em;border-radius:50%;margin-right:.5em;background:currentColor}
.bad .tone{color:var(--bad)}.warn .tone{color:var(--warn)}.good .tone{color:var(--good)}.neutral .tone{color:var(--neutral)}
h2{font-size:1.25rem;margin:2.75rem 0 .75rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h3{font-size:1rem;margin:1.5rem 0 .5rem}
.lead{font-size:1.125rem;max-width:60rem}
.first{border-left:4px solid;padding-left:.75rem}
.facts{display:flex;flex-wrap:wrap;gap:.35rem 1.5rem;margin:1rem 0 0;padding:0;color:var(--soft);font-size:.875rem;list-style:none}
.facts b{color:var(--fg);font-weight:600}
nav{position:sticky;top:0;z-index:5;background:var(--bg);border-bottom:1px solid var(--line);margin-top:1.25rem}
nav ul{max-width:72rem;margin:0 auto;padding:.5rem 1.25rem;display:flex;gap:.25rem 1.1rem;list-style:none;overflow-x:auto;white-space:nowrap;font-size:.9rem}
code,pre,.mono{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace;font-size:.875em}
code{background:var(--code);padding:.1em .35em;border-radius:4px}
pre{background:var(--card);border:1px solid var(--line);border-radius:6px;padding:.75rem 1rem;overflow-x:auto;line-height:1.5;margin:.5rem 0}
pre code{background:none;padding:0}
.own{font-weight:600}.fold{color:var(--soft)}.owners{font-weight:400;overflow-wrap:anywhere}
.scroll{overflow-x:auto;margin:.5rem 0 1rem}
table{border-collapse:collapse;font-size:.9rem;min-width:30rem}
th,td{text-align:left;vertical-align:top;padding:.35rem .75rem;border-bottom:1px solid var(--line)}
thead th{border-bottom:2px solid var(--line);white-space:nowrap}
tbody th{font-weight:600;min-width:6rem}
#memory tbody th{font-weight:400}
td:not(.n){min-width:6.5rem;max-width:34rem}
.n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--soft);padding-bottom:.35rem;font-size:.875rem}
.digest{font-size:.75rem;word-break:break-all;min-width:16rem}
svg{display:block;max-width:100%;height:auto}
svg.bar{width:100%;height:4rem;margin:.5rem 0}
svg.chart{min-width:42rem;width:100%}
svg text{fill:var(--fg);font:12px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif}
svg .soft{fill:var(--soft)}
svg .axis{stroke:var(--line);stroke-width:1}
svg .want{stroke:var(--bad);stroke-width:2;stroke-dasharray:4 3;fill:none}
svg .node{fill:var(--card);stroke:var(--edge);stroke-width:1.5}
svg .edge{stroke:var(--edge);stroke-width:1.5;fill:none}
svg .back,svg .hold{stroke:var(--others)}
svg .tip{fill:var(--edge)}
svg .code{font:12px ui-monospace,SFMono-Regular,Menlo,monospace}
svg .label{fill:var(--soft)}
svg.cycle{max-width:none}
svg .block{stroke:var(--bg);stroke-width:1}
svg .f-free{stroke:var(--edge)}
.f-parameter{fill:var(--parameter)}.f-gradient{fill:var(--gradient)}.f-optimizer_state{fill:var(--optimizer_state)}.f-activation{fill:var(--activation)}.f-input{fill:var(--input)}.f-unknown{fill:var(--unknown)}.f-allocated{fill:var(--allocated)}.f-unused{fill:var(--unused)}.f-others{fill:var(--others)}.f-outside{fill:var(--outside)}.f-free{fill:var(--free)}
.hatch{stroke:var(--bg);stroke-width:2;stroke-opacity:.75}
.chip{width:1rem;height:1rem;vertical-align:-2px;display:inline-block;margin-right:.4rem}
details{margin:.5rem 0}summary{cursor:pointer}
details>summary{padding:.25rem 0}
.card{border:1px solid var(--line);border-left:4px solid var(--warn);background:var(--card);border-radius:6px;padding:.6rem 1rem;margin:.6rem 0}
.card p{margin:.2rem 0}
.card.quiet{border-left-color:var(--neutral)}
ul.hints{padding-left:1.25rem}ul.hints li{margin:.4rem 0}
button,select{font:inherit;font-size:.9rem;color:var(--fg);background:var(--card);border:1px solid var(--edge);border-radius:6px;padding:.4rem .9rem;min-height:2.5rem;cursor:pointer}
button:disabled{opacity:.6;cursor:default}
canvas{width:100%;height:20rem;display:block;border:1px solid var(--line);border-radius:6px;touch-action:pan-y}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.1rem;margin:.5rem 0;padding:0;list-style:none;font-size:.875rem}
.readout{min-height:3.2em;font-size:.9rem;font-variant-numeric:tabular-nums}
iframe{width:100%;height:80vh;border:1px solid var(--line);border-radius:6px;background:#fff}
footer{margin-top:3rem;padding:1.25rem;border-top:1px solid var(--line);color:var(--soft);font-size:.875rem}
.visually-hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
@media (max-width:40rem){body{font-size:15px}h1{font-size:1.4rem}th,td{padding:.3rem .5rem}.lead{font-size:1rem}}
@media print{svg.chart{min-width:0}:root{color-scheme:light;--bg:#fff;--fg:#000;--soft:#444;--line:#bbb;--card:#f6f6f6;--link:#000;--code:#f0f0f0}nav,button,select,.skip,.noprint{display:none!important}h2{break-after:avoid}tr,svg,.card{break-inside:avoid}.scroll{overflow:visible}table{min-width:0;width:100%}pre{white-space:pre-wrap}body{font-size:11pt}}
`;
