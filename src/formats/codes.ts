/** Characters by name, for the scanners that go through text code by code. */
export const tab = 9
export const lineFeed = 10
export const carriageReturn = 13
export const space = 32
export const doubleQuote = 34
export const hash = 35
export const singleQuote = 39
export const openParenthesis = 40
export const plus = 43
export const comma = 44
export const hyphen = 45
export const dot = 46
export const slash = 47
export const colon = 58
export const openBracket = 91
export const backslash = 92
export const closeBracket = 93
export const underscore = 95
export const openBrace = 123
export const closeBrace = 125
export const tilde = 126

export const isDigit = (code: number): boolean => code >= 48 && code <= 57
export const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
export const isWordStart = (code: number): boolean => isLetter(code) || code === underscore
export const isWordPart = (code: number): boolean => isWordStart(code) || isDigit(code) || code === hyphen
// Past the end of a text charCodeAt gives NaN; that counts as the end of a line.
export const isLineEnd = (code: number): boolean => code === lineFeed || code === carriageReturn || !(code >= 0)
export const isBlank = (code: number): boolean => code === space || code === tab || isLineEnd(code)
