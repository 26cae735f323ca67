// The interactive part of a report: the tree zooms, folds and shows its nodes and the paths of
// rows. Everything it needs is in the JSON of the page. Nothing is loaded, and without it the page
// is complete but still.
(function () {
  "use strict";
  const data = JSON.parse(document.getElementById("contree-data").textContent);
  const picture = document.getElementById("tree-picture");
  const nodes = new Map(data.nodes.id.map((id, i) => [id, {
    id: id, left: data.nodes.left[i], right: data.nodes.right[i], n: data.nodes.n[i],
    errors: data.nodes.errors[i], label: data.nodes.label[i], rule: data.nodes.rule[i], at: i,
    box: document.getElementById("node-" + id), edge: document.getElementById("edge-" + id),
    way: document.getElementById("way-" + id), folded: false
  }]));
  const parent = id => Math.floor(id / 2);
  const isLeaf = node => node.left === 0;

  // An element with attributes, and text or other elements in it.
  function make(name, attributes, ...content) {
    const element = document.createElement(name);
    for (const key in attributes) {
      if (key === "onclick") element.addEventListener("click", attributes[key]);
      else element.setAttribute(key, attributes[key]);
    }
    element.append(...content);
    return element;
  }
  const button = (text, label, act) =>
    make("button", { type: "button", "aria-label": label, onclick: act }, text);

  // ---- zoom and move ----

  // The picture has its own size and the frame around it scrolls, so that text stays legible; only
  // "Fit" makes it as small as the frame.
  const frame = picture.parentNode;
  const whole = picture.getAttribute("viewBox").split(" ").map(Number);
  let scale = 1;
  const fitting = () => Math.min(1, (frame.clientWidth - 1) / whole[2]);
  function resize() {
    picture.setAttribute("viewBox", whole.join(" "));
    picture.setAttribute("width", (whole[2] * scale).toFixed(1));
    picture.setAttribute("height", (whole[3] * scale).toFixed(1));
  }
  // The point of the frame at (x, y), by default its middle, stays where it is.
  function zoom(to, x, y) {
    if (x === undefined) { x = frame.clientWidth / 2; y = frame.clientHeight / 2; }
    const by = Math.min(4, Math.max(fitting(), to)) / scale;
    const left = (frame.scrollLeft + x) * by - x, top = (frame.scrollTop + y) * by - y;
    scale *= by;
    resize();
    frame.scrollLeft = left;
    frame.scrollTop = top;
  }
  // A node comes into the frame, or into its middle.
  function reveal(id, middle) {
    const at = nodes.get(id).box.getBoundingClientRect(), seen = frame.getBoundingClientRect();
    if (middle) {
      frame.scrollLeft += (at.left + at.right - seen.left - seen.right) / 2;
    } else {
      frame.scrollLeft += Math.max(0, at.right + 12 - seen.right) -
        Math.max(0, seen.left + 12 - at.left);
    }
    frame.scrollTop += Math.max(0, at.bottom + 12 - seen.bottom) -
      Math.max(0, seen.top + 12 - at.top);
  }
  picture.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.metaKey) return; // the frame scrolls
    event.preventDefault();
    const seen = frame.getBoundingClientRect();
    zoom(event.deltaY < 0 ? scale * 1.2 : scale / 1.2, event.clientX - seen.left,
      event.clientY - seen.top);
  }, { passive: false });
  let grip = null;
  picture.addEventListener("pointerdown", event => {
    if (event.pointerType === "mouse") grip = [event.clientX, event.clientY];
  });
  picture.addEventListener("pointermove", event => {
    if (!grip || event.buttons === 0) return;
    frame.scrollLeft += grip[0] - event.clientX;
    frame.scrollTop += grip[1] - event.clientY;
    grip = [event.clientX, event.clientY];
  });
  picture.addEventListener("pointerup", () => { grip = null; });

  // ---- fold ----

  const hidden = id => {
    for (let up = parent(id); up > 0; up = parent(up)) if (nodes.get(up).folded) return true;
    return false;
  };

  // What is visible is laid out anew: leaves and folded nodes side by side.
  function layOut() {
    const box = data.box, x = new Map();
    let next = box.margin[0];
    (function place(id) {
      const node = nodes.get(id);
      if (isLeaf(node) || node.folded) {
        const width = (isLeaf(node) ? box.leaf : box.inner)[0];
        x.set(id, next + width / 2);
        next += width + box.gap[0];
        return;
      }
      place(node.left);
      place(node.right);
      x.set(id, (x.get(node.left) + x.get(node.right)) / 2);
    })(1);
    let deepest = 0;
    for (const [id, node] of nodes) {
      const gone = !x.has(id);
      for (const part of [node.box, node.edge, node.way]) {
        if (part) part.classList.toggle("gone", gone);
      }
      if (gone) continue;
      const depth = Math.floor(Math.log2(id));
      const y = box.margin[0] + box.row[0] * depth;
      deepest = Math.max(deepest, y + box.height[0] + box.margin[0]);
      node.box.setAttribute("transform", "translate(" + x.get(id) + " " + y + ")");
      if (id === 1) continue;
      const bend = y - (box.row[0] - box.height[0]) / 2;
      node.edge.setAttribute("d", "M" + x.get(parent(id)) + " " +
        (y - box.row[0] + box.height[0]) + "V" + bend + "H" + x.get(id) + "V" + y);
      node.way.setAttribute("x", x.get(id) + (id % 2 === 0 ? 7 : -7));
      node.way.setAttribute("y", bend - 6);
    }
    whole[2] = next - box.gap[0] + box.margin[0];
    whole[3] = deepest;
    resize();
  }
  function fold(id, folded) {
    const node = nodes.get(id);
    if (isLeaf(node) || node.folded === folded) return;
    node.folded = folded;
    node.box.classList.toggle("folded", folded);
    node.box.setAttribute("aria-expanded", String(!folded));
    layOut();
    reveal(id, true);
  }
  function foldAll(folded) {
    for (const id of nodes.keys()) if (id > 1 || !folded) fold(id, folded);
    reveal(1, true);
  }

  // ---- a node ----

  let chosen = null;
  function focusOn(id) {
    for (const node of nodes.values()) node.box.setAttribute("tabindex", node.id === id ? 0 : -1);
    nodes.get(id).box.focus({ preventScroll: true });
    reveal(id);
  }
  function choose(id) {
    chosen = chosen === id ? null : id;
    for (const node of nodes.values()) node.box.classList.toggle("chosen", node.id === chosen);
    const panel = document.getElementById("node");
    panel.replaceChildren();
    if (chosen !== null) describe(nodes.get(chosen), panel);
    page = 0;
    listRows();
  }
  function describe(node, panel) {
    panel.append(make("p", {}, make("strong", {}, node.label)),
                 make("p", {}, "Rows of this node: ", make("code", {}, node.rule)));
    if (data.classes.counts) panel.append(classCounts(data.classes.counts[node.at]));
    if (data.leaves.length) {
      const count = data.leaves.filter(leaf => isBelow(leaf, node.id)).length;
      panel.append(make("p", {}, count + " of the " + data.leaves.length +
        " rows listed below come to this node."));
    }
    if (!isLeaf(node)) {
      panel.append(button(node.folded ? "Unfold" : "Fold", "Fold or unfold this node", () => {
        fold(node.id, !node.folded);
        panel.replaceChildren();
        describe(node, panel);
      }));
    }
  }
  function classCounts(counts) {
    const total = counts.reduce((sum, count) => sum + count, 0);
    const order = counts.map((_, k) => k).filter(k => counts[k] > 0)
      .sort((a, b) => counts[b] - counts[a]);
    const table = make("table", { class: "counts" });
    for (const k of order.slice(0, 12)) {
      const share = 100 * counts[k] / total;
      table.append(make("tr", {}, make("th", { scope: "row" }, data.classes.names[k]),
        make("td", { class: "figure" }, String(+counts[k].toPrecision(6))),
        make("td", {}, make("div", { class: "bar-of-class", style: "width:" + share.toFixed(1) +
          "%;background:" + data.classes.colours[k] })),
        make("td", { class: "figure" }, share.toFixed(1) + "%")));
    }
    if (order.length > 12) {
      table.append(make("tr", {}, make("td", {}, "and " + (order.length - 12) + " more")));
    }
    return table;
  }

  for (const node of nodes.values()) {
    node.box.addEventListener("click", () => { focusOn(node.id); choose(node.id); });
    node.box.addEventListener("dblclick", () => fold(node.id, !node.folded));
  }
  picture.addEventListener("keydown", event => {
    const box = event.target.closest(".node");
    if (!box || event.ctrlKey || event.metaKey || event.altKey) return;
    const node = nodes.get(Number(box.id.slice(5)));
    const seen = [...nodes.values()].filter(other => !hidden(other.id)).map(other => other.id);
    const here = seen.indexOf(node.id);
    const act = {
      ArrowDown: () => seen[here + 1], ArrowUp: () => seen[here - 1],
      Home: () => 1, End: () => seen[seen.length - 1],
      ArrowRight: () => { if (node.folded) fold(node.id, false); else return node.left; },
      ArrowLeft: () => {
        if (isLeaf(node) || node.folded) return parent(node.id);
        fold(node.id, true);
      },
      Enter: () => choose(node.id), " ": () => fold(node.id, !node.folded),
      "+": () => zoom(1.3 * scale), "-": () => zoom(scale / 1.3), 0: () => zoom(1),
      Escape: () => light(null)
    }[event.key];
    if (!act) return;
    event.preventDefault();
    const to = act();
    if (to > 0) focusOn(to);
  });

  // ---- the path of a row ----

  const isBelow = (leaf, id) => {
    while (leaf > id) leaf = parent(leaf);
    return leaf === id;
  };
  let lit = null;
  function light(row) {
    lit = row;
    for (const [id, node] of nodes) {
      const on = row !== null && isBelow(data.leaves[row], id);
      for (const part of [node.box, node.edge, node.way]) {
        if (!part) continue;
        part.classList.toggle("lit", on);
        part.classList.toggle("dim", row !== null && !on);
      }
    }
    if (row !== null) reveal(data.leaves[row]);
    listRows();
  }

  // ---- the table of rows ----

  const table = document.getElementById("row-table");
  const perPage = 25;
  let page = 0, wrongOnly = false;
  function chosenRows() {
    const rows = [];
    for (let i = 0; i < data.leaves.length; i++) {
      if (chosen !== null && !isBelow(data.leaves[i], chosen)) continue;
      if (!wrongOnly || data.wrong[i] === 1) rows.push(i);
    }
    return rows;
  }
  function listRows() {
    if (!table) return;
    const rows = chosenRows();
    const first = page * perPage;
    const body = make("tbody", {});
    for (const i of rows.slice(first, first + perPage)) {
      const act = () => light(lit === i ? null : i);
      const line = make("tr", { tabindex: 0, "aria-selected": String(lit === i), onclick: act });
      line.addEventListener("keydown", event => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        act();
        const again = table.querySelector("tr[aria-selected=true]");
        if (again) again.focus();
      });
      for (const column of data.rows) line.append(make("td", {}, String(column[i])));
      body.append(line);
    }
    table.tBodies[0].replaceWith(body);
    const said = rows.length === 0 ? "no rows" :
      (first + 1) + " to " + Math.min(rows.length, first + perPage) + " of " + rows.length +
      " rows";
    status.textContent = said + (chosen === null ? "" : " of node " + chosen);
    back.disabled = page === 0;
    on.disabled = first + perPage >= rows.length;
  }
  const turn = by => () => { page += by; listRows(); };
  const status = make("span", { role: "status" });
  const back = button("Previous", "Previous rows", turn(-1));
  const on = button("Next", "Next rows", turn(1));

  // ---- tools ----

  document.getElementById("tools").append(
    button("+", "Zoom in", () => zoom(1.3 * scale)),
    button("\u2212", "Zoom out", () => zoom(scale / 1.3)),
    button("100%", "Legible size", () => { zoom(1); reveal(1, true); }),
    button("Fit", "Show the whole tree", () => zoom(fitting())),
    button("Fold all", "Fold all nodes below the root", () => foldAll(true)),
    button("Unfold all", "Unfold all nodes", () => foldAll(false)),
    button("Clear path", "Clear the lit path of a row", () => light(null)));
  if (table) {
    table.classList.add("live");
    const tools = document.getElementById("row-tools");
    tools.append(back, on, status);
    if (data.wrong.length) {
      const box = make("input", { type: "checkbox" });
      box.addEventListener("change", () => { wrongOnly = box.checked; page = 0; listRows(); });
      tools.append(make("label", {}, box, " misclassified rows only"));
    }
    listRows();
  }

  reveal(1, true);

  // ---- copies of rules ----

  function copy(text, from) {
    const done = () => { from.textContent = "Copied"; };
    const byHand = () => {
      const field = make("textarea", {}, text);
      document.body.append(field);
      field.select();
      if (document.execCommand("copy")) done();
      field.remove();
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, byHand);
    else byHand();
  }
  for (const item of document.querySelectorAll(".rules li")) {
    const rule = item.querySelector(".rule");
    const press = button("Copy", "Copy this rule", () => copy(rule.dataset.exact, press));
    rule.before(press);
  }
})();
