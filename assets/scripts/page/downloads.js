// Files made in the page and saved from it.

export const saveFile = (name, content, type) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

// A cell that a spreadsheet would read as a formula is kept from being one; in Chinese and Japanese ones, full-width signs too.
export const csvCell = (value) => {
  if (value == null || Number.isNaN(value)) return "";
  let written = String(value);
  if (typeof value === "string" && /^[=+\-@\t\r＝＋－＠]/.test(written)) written = `'${written}`;
  return /[",\n\r]/.test(written) ? `"${written.replaceAll('"', '""')}"` : written;
};

export const csvTable = (header, rows) =>
  "\ufeff" + [header, ...rows].map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
