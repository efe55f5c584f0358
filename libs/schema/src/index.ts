export { hiddenProperty, keptByObject, keptByText } from './kept-results';
export {
  createGuard,
  createJsonParser,
  createJsonReader,
  createParser,
  createReader,
  enumOf,
  holds,
  type Parsed,
  type Parser,
  valueOf,
} from './parse-document';
export {
  countValues,
  errorCode,
  errorMessage,
  isKeyOf,
  isObject,
  isOneOf,
  jsonFault,
  keysOf,
  listAt,
  memberAt,
  type Members,
  objectAt,
  onlyPresent,
  parseJson,
  recordOf,
  selectMembers,
  textAt,
  urlHost,
} from './values';
export { formatPlace, formatViolation, type Place, type PlacedViolation, type Violation } from './violation';
