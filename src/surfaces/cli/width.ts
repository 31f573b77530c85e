/** How many columns a text takes on a terminal, for text that is already printable. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) width += widthOfCluster(segment)
  return width
}

/** Cuts a text to so many columns, with an ellipsis if something is missing. */
export function fitted(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let width = 1
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += widthOfCluster(segment)
    if (width > columns) break
    kept += segment
  }
  return `${kept}…`
}

const unseen = /^[\p{Mark}\p{Format}\u115f-\u11ff\u200b]+$/u
// East Asian wide and full-width characters: an approximation without a table of all of Unicode.
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1faff}\u{20000}-\u{3fffd}]/u

function widthOfCluster(cluster: string): number {
  if (unseen.test(cluster)) return 0
  return wide.test(cluster) || /\p{Emoji_Presentation}|\ufe0f/u.test(cluster) ? 2 : 1
}
