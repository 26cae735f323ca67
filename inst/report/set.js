"use strict";
// The page of a set of trees: leaves out trees with many leaves or with some predictors.
(function () {
  var trees = Array.prototype.slice.call(document.querySelectorAll("details.set-tree"));
  var tools = document.getElementById("set-tools");
  if (!tools || trees.length < 2) return;
  var uses = trees.map(function (tree) { return JSON.parse(tree.getAttribute("data-uses")); });
  var leaves = trees.map(function (tree) { return Number(tree.getAttribute("data-leaves")); });
  var names = [];
  uses.forEach(function (of) {
    of.forEach(function (name) { if (names.indexOf(name) < 0) names.push(name); });
  });

  // A box stands before its text, a field behind it, and neither is parted from it.
  function labelled(text, control) {
    var label = document.createElement("label");
    label.append(control.type === "checkbox" ? control : text + " ",
                 control.type === "checkbox" ? " " + text : control);
    tools.append(label, " ");
    control.addEventListener("input", choose);
    return control;
  }

  var most = document.createElement("input");
  most.type = "number";
  most.min = Math.min.apply(null, leaves);
  most.max = most.value = Math.max.apply(null, leaves);
  labelled("Leaves at most", most);
  var boxes = names.map(function (name) {
    var box = document.createElement("input");
    box.type = "checkbox";
    return labelled("without " + name, box);
  });
  var said = document.createElement("p");
  said.setAttribute("aria-live", "polite");
  tools.appendChild(said);

  function choose() {
    var n = 0;
    trees.forEach(function (tree, i) {
      var shown = leaves[i] <= Number(most.value) && names.every(function (name, j) {
        return !boxes[j].checked || uses[i].indexOf(name) < 0;
      });
      var again = shown && tree.hidden;
      tree.hidden = !shown;
      if (again) centre(tree);
      if (shown) n++;
    });
    said.textContent = n + " of " + trees.length + " trees";
  }
  choose();

  // The root is in the middle of a picture that is wider than the page.
  function centre(tree) {
    var canvas = tree.querySelector(".canvas");
    canvas.scrollLeft = (canvas.scrollWidth - canvas.clientWidth) / 2;
  }
  trees.forEach(function (tree) {
    tree.addEventListener("toggle", function () { centre(tree); });
  });
  centre(trees[0]);
}());
