// Charts over time, drawn from the figures in the page. Every figure stands in a table, too.
"use strict";
(() => {
  const HEIGHT = 200;
  const DAY = 86400;
  const LEAST_DAYS = 10;
  const WHOLE = [0, 1, 2, 3, 4, 5, 6, 7].flatMap((e) => [1, 2, 5].map((n) => n * 10 ** e));
  const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
  const colour = (name) => {
    const probe = document.createElement("span");
    probe.className = `looks-${name}`;
    probe.hidden = true;
    document.body.append(probe);
    const found = getComputedStyle(probe).color;
    probe.remove();
    return found;
  };
  const shown = {
    usd: new Intl.NumberFormat("en", { style: "currency", currency: "USD", maximumSignificantDigits: 3 }).format,
    count: (value) => value.toLocaleString("en"),
    percent: (value) => `${Math.round(value * 100)} %`,
  };
  const exact = {
    usd: (value) => `$${value.toFixed(4)}`,
    count: shown.count,
    percent: shown.percent,
  };

  // As the tables write it: 3 Feb 2026.
  const day = (seconds) => {
    const date = new Date(seconds * 1000);
    return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
  };

  // One on the other: each row of bars reaches from 0 to the sum of itself and those below it, the highest drawn first.
  const stacked = (lines) => {
    let below = lines[0].points.map(() => 0);
    return lines.map((line) => {
      const sums = line.points.map((point, at) => (point === null ? null : point + below[at]));
      below = sums.map((sum, at) => (sum === null ? below[at] : sum));
      return sums;
    }).reverse();
  };

  const draw = (figure) => {
    const chart = JSON.parse(figure.dataset.chart);
    const place = figure.querySelector(".chart-drawing");
    if (!place) { return; }
    place.hidden = false;
    place.replaceChildren();
    const bars = chart.form === "bars";
    const lines = bars ? [...chart.lines].reverse() : chart.lines;
    const heights = bars ? stacked(chart.lines) : chart.lines.map((line) => line.points);
    const step = chart.days.length > 1 ? chart.days[1] - chart.days[0] : DAY;
    const middle = (chart.days[0] + chart.days.at(-1)) / 2;
    const half = Math.max(chart.days.at(-1) - chart.days[0] + step, LEAST_DAYS * DAY) / 2;
    const soft = colour("soft");
    const rule = { stroke: soft, grid: { stroke: colour("rule"), width: 1 }, ticks: { show: false } };
    const options = {
      width: Math.max(240, place.clientWidth),
      height: HEIGHT,
      tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
      cursor: { drag: { x: false, y: false }, points: { show: !bars } },
      legend: { live: true },
      hooks: { setCursor: [(plot) => place.classList.toggle("is-pointed-at", plot.cursor.idx !== null)] },
      scales: {
        x: { time: true, range: () => [middle - half, middle + half] },
        y: { range: (_, from, to) => (chart.unit === "percent" ? [0, 1] : [0, to * 1.1 || 1]) },
      },
      axes: [
        {
          ...rule,
          grid: { show: false },
          size: 28,
          space: 60,
          incrs: [1, 2, 7, 14, 28, 91, 182, 365].map((days) => days * DAY),
          values: (_, all) => all.map(day),
        },
        {
          ...rule,
          size: 60,
          incrs: chart.unit === "count" ? WHOLE : undefined,
          values: (_, all) => all.map((value) => shown[chart.unit](value)),
        },
      ],
      series: [
        { label: "day", value: (_, at) => (at === null ? "" : `${day(at)} ${new Date(at * 1000).getUTCFullYear()}`) },
        ...lines.map((line) => ({
          label: line.name,
          stroke: colour(line.looks),
          fill: bars ? colour(line.looks) : undefined,
          width: bars ? 0 : 2,
          paths: bars ? uPlot.paths.bars({ size: [0.7, 48] }) : undefined,
          points: { show: !bars, size: 6 },
          spanGaps: false,
          value: (_, __, ___, at) => (at === null || line.points[at] === null ? "–" : exact[chart.unit](line.points[at])),
        })),
      ],
    };
    new uPlot(options, [chart.days, ...heights], place);
  };

  const figures = [...document.querySelectorAll("figure[data-chart]")];
  const drawAll = () => figures.forEach(draw);
  figures.forEach((figure) => figure.querySelector(".chart-table")?.removeAttribute("open"));
  drawAll();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
  let width = innerWidth;
  let waiting = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) { return; }
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(drawAll, 150);
  });
})();
