// What moves on the administration page: live figures, plots, searching while one types, and a question before what
// cannot be taken back. Every page works without it.
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);

  // A fragment that the server wrote takes the place of the one that is there; what has the focus keeps it.
  function put(html) {
    const fragments = new DOMParser().parseFromString(html, "text/html").body;
    for (const fragment of [...fragments.children]) {
      const there = byId(fragment.id);
      if (there && !isSelected(there)) Idiomorph.morph(there, fragment, { callbacks: { beforeAttributeUpdated } });
    }
  }

  // What somebody unfolded stays so.
  function beforeAttributeUpdated(name, element) {
    return !(name === "open" && element.localName === "details");
  }

  // Somebody who marks text to copy it shall not lose it.
  function isSelected(element) {
    const selection = getSelection();
    return selection && !selection.isCollapsed && selection.containsNode(element, true);
  }

  // Live figures: one stream, only while the page is looked at and not paused.
  function live(path) {
    const button = byId("pause");
    const word = button.querySelector(".word");
    let stream = null;
    let paused = false;
    let ended = false;
    const say = (text, broken) => {
      word.textContent = text;
      button.classList.toggle("broken", broken);
    };
    const close = () => {
      if (stream) stream.close();
      stream = null;
    };
    const open = () => {
      if (stream || paused || ended || document.hidden) return;
      stream = new EventSource(path);
      stream.addEventListener("open", () => say("Live", false));
      stream.addEventListener("page", (event) => put(event.data));
      stream.addEventListener("plot", (event) => plots.add(JSON.parse(event.data)));
      stream.addEventListener("error", () => {
        const over = stream && stream.readyState === EventSource.CLOSED;
        say(over ? "Ended" : "Waiting", true);
        ended = over;
        if (over) close();
      });
    };
    button.addEventListener("click", () => {
      // The session is over, or the server has too many streams; the page says which.
      if (ended) return location.reload();
      paused = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(paused));
      say(paused ? "Paused" : "Live", false);
      if (paused) close();
      else open();
    });
    document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
    addEventListener("pagehide", close);
    addEventListener("pageshow", open);
    byId("live").hidden = false;
    open();
  }

  // Plots: a frame on the page says which series it shows; the data stands beside it.
  const plots = (() => {
    // What a legend takes of a plot's height.
    const LEGEND = 28;
    const all = [];
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", timeStyle: "medium" });
    const short = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", timeStyle: "short" });

    function number(value, digits) {
      return value == null ? "–" : value.toLocaleString("en-GB", { maximumFractionDigits: digits });
    }

    function options(plot, width) {
      const axis = { stroke: colour("--quiet"), font: "11px system-ui", grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
      const times = plot.every >= 60 ? short : clock;
      const last = (drawn) => drawn.cursor.idx == null && drawn.setLegend({ idx: drawn.data[0].length - 1 }, false);
      return {
        width,
        height: plot.frame.clientHeight - LEGEND,
        padding: [10, 12, 0, 0],
        cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
        // Where nobody points at a moment, the legend tells of the last one.
        hooks: { setCursor: [last], setData: [last], ready: [last] },
        legend: { markers: { width: 0, fill: (_, series) => colour(plot.series[series - 1]?.colour ?? "--surface") } },
        scales: { y: { range: (_, __, most) => [0, Math.max(plot.least, most * 1.1)] } },
        axes: [
          {
            ...axis,
            size: 28,
            space: 80,
            values: (_, ticks, __, ___, step) => ticks.map((at) => (step < 60 ? clock : short).format(at * 1000)),
          },
          { ...axis, size: 44, values: (_, ticks) => ticks.map((tick) => number(tick, 1)) },
        ],
        series: [
          { label: "UTC", value: (_, at) => (at == null ? "–" : times.format(at * 1000)) },
          ...plot.series.map(({ label, colour: name, shape, unit }) => ({
            label,
            stroke: colour(name),
            width: shape === "bars" ? 0 : 1.5,
            fill: shape === "line" ? undefined : colour(name) + (shape === "bars" ? "" : "22"),
            paths: shape === "bars" ? uPlot.paths.bars({ size: [0.8, 14], align: 1 }) : undefined,
            points: { show: false },
            value: (_, value) => number(value, 1) + (value == null ? "" : unit),
          })),
        ],
      };
    }

    function draw(plot) {
      if (plot.drawn) plot.drawn.destroy();
      plot.frame.textContent = "";
      plot.drawn = new uPlot(options(plot, plot.frame.clientWidth), plot.data, plot.frame);
    }

    function found(frame) {
      const said = JSON.parse(frame.dataset.plot);
      const plot = { frame, drawn: null, ...said };
      all.push(plot);
      draw(plot);
      new ResizeObserver(() => {
        const width = frame.clientWidth;
        if (width && plot.drawn.width !== width) plot.drawn.setSize({ width, height: frame.clientHeight - LEGEND });
      }).observe(frame);
    }

    // The latest moments of each plot; one that is there already is told anew.
    function add(said) {
      for (const plot of all) {
        for (const moment of said[plot.name] ?? []) put(plot, moment);
        plot.drawn.setData(plot.data);
      }
    }

    function put(plot, moment) {
      const [times] = plot.data;
      const last = times.at(-1) ?? -Infinity;
      const place = moment[0] > last ? times.length : times.lastIndexOf(moment[0]);
      if (place < 0) return;
      plot.data.forEach((row, series) => (row[place] = moment[series]));
      if (times.length > plot.most) plot.data.forEach((row) => row.shift());
    }

    function start() {
      document.querySelectorAll("[data-plot]").forEach(found);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => all.forEach(draw));
    }
    return { start, add };
  })();

  // A search shows what it finds while one types.
  function searching(form) {
    const into = document.querySelector(form.dataset.into);
    let timer = 0;
    let asked = 0;
    const find = async () => {
      const mine = ++asked;
      const path = `${form.action}?${new URLSearchParams(new FormData(form))}`;
      const answer = await fetch(path);
      if (!answer.ok || answer.redirected || mine !== asked) return;
      const found = new DOMParser().parseFromString(await answer.text(), "text/html");
      Idiomorph.morph(into, found.getElementById(into.id));
      history.replaceState(null, "", path);
    };
    form.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => find().catch(() => {}), 200);
    });
  }

  // Whoever types a number means the limit.
  function choosing(choice) {
    const limit = choice.querySelector("input[type=radio][value=limit]");
    choice.querySelector("input[type=number]").addEventListener("input", () => (limit.checked = true));
  }

  // A question before what cannot be taken back.
  function asking(form) {
    form.addEventListener("submit", (event) => {
      if (!confirm(form.dataset.ask)) event.preventDefault();
    });
  }

  document.querySelectorAll("form[data-into]").forEach(searching);
  document.querySelectorAll("form[data-ask]").forEach(asking);
  document.querySelectorAll(".choice").forEach(choosing);
  plots.start();
  const stream = document.querySelector("[data-live]");
  if (stream) live(stream.dataset.live);
})();
