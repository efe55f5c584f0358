import { ShapeError, type Shape } from '../shapes/shape';
import { digestOf, toCanonicalJson } from '../shapes/canonical-json';
import type { PendingBody } from './report';

/** Reads the output as JSON of that shape; `name` is what the document is called in refusals. */
export function parseOutput<Value>(output: string, shape: Shape<Value>, name: string): Value {
  let document: unknown;
  try {
    document = JSON.parse(output);
  } catch {
    throw new ShapeError(name, 'a JSON document', output);
  }
  return shape(document, name);
}

export function toBody(document: unknown): PendingBody {
  const text = toCanonicalJson(document);
  return { text, digest: digestOf(text) };
}

export const toStoredBody = ({ text, digest }: PendingBody): { readonly digest: string; readonly bytes: number } => ({
  digest,
  bytes: Buffer.byteLength(text),
});

const INT32_MAX = 2 ** 31 - 1;

/** Absurd numbers of broken hardware or software still have to fit into a fact. */
export const toInt32 = (value = 0): number => Math.trunc(Math.max(-INT32_MAX, Math.min(INT32_MAX, value)));
