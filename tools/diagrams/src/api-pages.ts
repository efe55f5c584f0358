import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { createApiDocument } from '@muster/service-gateway';
import { compareOperations } from './conformance/compare-operations';
import { conformancePage } from './conformance/conformance-page';
import type { Difference } from './conformance/difference';
import { readContract } from './conformance/read-contract';
import { readOwnDocument } from './conformance/read-own-document';
import type { Json } from './conformance/read-shapes';

/** Path of the v2 contract. The contract is not part of this repository. */
export const CONTRACT_FILE = resolve(__dirname, '../../../../shared/upstream/swagger.yaml');
export const CONFORMANCE_PAGE = 'conformance.md';
const CONTRACT_PREFIX = '/api/assisted-install';

export interface Comparison {
  readonly differences: readonly Difference[];
  readonly page: string;
}

export const hasContract = (): boolean => existsSync(CONTRACT_FILE);

/** Reads the contract. @throws when the file is missing */
export function compareWithContract(document: Json): Comparison {
  const contract = readContract(parse(readFileSync(CONTRACT_FILE, 'utf8')) as Json);
  const own = readOwnDocument(document, CONTRACT_PREFIX);
  const differences = compareOperations(contract, own);
  const served = [...contract.keys()].filter((name) => own.has(name)).length;
  return { differences, page: conformancePage(differences, { operations: contract.size, served }) };
}

/** The API document and the page of differences. Without the contract, the page keeps its last version. */
export async function apiPages(folder: string): Promise<ReadonlyMap<string, string>> {
  const document = await createApiDocument();
  const page = hasContract()
    ? compareWithContract(document as unknown as Json).page
    : readFileSync(resolve(folder, CONFORMANCE_PAGE), 'utf8');
  return new Map([
    ['openapi.json', `${JSON.stringify(document, null, 2)}\n`],
    [CONFORMANCE_PAGE, page],
  ]);
}
