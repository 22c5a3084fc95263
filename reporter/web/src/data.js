// What the page shows: the report that stands in it as JSON.

export const page = JSON.parse(document.getElementById("report").textContent);

/** What columns are called and mean, as in the text report: `title`, `unit`, `hint` by key. */
export const { headings } = page;
