import type { ValidationError } from 'class-validator';

/** Longest value that a message repeats, in characters. */
const VALUE_MAX_CHARACTERS = 64;
/** Paths of fields whose values never appear in messages. */
const SECRET = /secret|password|token|credential|key|content|config|bundle|argument|headers|proxy|endpoint/i;

/** The first violation as a sentence without full stop: `<field> in <place> must …`. */
export function violationText(errors: readonly ValidationError[], place: string): string {
  const [error] = errors;
  return error ? describe(error, place, '') : `${place} is not valid`;
}

function describe(error: ValidationError, place: string, parent: string): string {
  const path = pathOf(parent, error.property);
  const [constraint] = Object.entries(error.constraints ?? {});
  const [child] = error.children ?? [];
  if (!constraint) return child ? describe(child, place, path) : `${path} in ${place} is not valid`;
  if (error.value === undefined) return `${path} in ${place} is required`;
  const [name, message] = constraint;
  const text = message.replace(`${error.property} `, '');
  const each = /^each value in (?:nested property )?(.*)$/.exec(text);
  if (each) return `each entry of ${path} in ${place} ${each[1]}`;
  return `${path} in ${place} ${text}${found(name, path, error)}`;
}

/** `, not "x"`, where the value helps and is not secret. */
function found(constraint: string, path: string, { value }: ValidationError): string {
  if (SECRET.test(path) || constraint === 'maxLength' || constraint === 'minLength') return '';
  if (Array.isArray(value)) return constraint === 'arrayMaxSize' ? `, not ${value.length}` : ', not a list';
  if (typeof value === 'object' && value !== null) return ', not an object';
  const text = JSON.stringify(value);
  return text.length <= VALUE_MAX_CHARACTERS ? `, not ${text}` : '';
}

function pathOf(parent: string, property: string): string {
  if (/^\d+$/.test(property)) return `${parent}[${property}]`;
  return parent === '' ? property : `${parent}.${property}`;
}
