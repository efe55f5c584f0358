import { RefusalError } from '@muster/problems';

/** What is appended to the kernel's command line, from the contract's JSON text. Throws RefusalError for what is not that. */
export function kernelArgumentsOf(stored: string): readonly string[] {
  if (stored === '') return [];
  const list = parse(stored);
  if (!Array.isArray(list)) throw unusable('they are not a JSON list');
  return list.map((entry: unknown) => {
    const { operation, value } = (entry ?? {}) as { readonly operation?: unknown; readonly value?: unknown };
    if (operation !== 'append' || typeof value !== 'string') throw unusable('only append with a value is possible');
    return value;
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unusable('they are not JSON');
  }
}

const unusable = (why: string): RefusalError =>
  new RefusalError({
    code: 'invalid-input',
    reason: `The kernel arguments of the infra-env cannot be used: ${why}.`,
    subject: 'kernel_arguments',
  });
