// The data of the page: the report that it contains as JSON; `null` on a page of a heap dump, which has its tables as HTML.

const data = document.getElementById("report");
export const page = data ? JSON.parse(data.textContent) : null;

/** Names and meanings of columns, as in the text report: `title`, `unit`, `hint` by key. */
export const { headings } = page ?? {};
