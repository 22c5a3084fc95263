// The data of the page: the report that it contains as JSON.

export const page = JSON.parse(document.getElementById("report").textContent);

/** Names and meanings of columns, as in the text report: `title`, `unit`, `hint` by key. */
export const { headings } = page;
