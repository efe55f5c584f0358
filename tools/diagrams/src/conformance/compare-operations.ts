import type { ApiOperation, ApiOperations, Shape, Shapes } from './read-operations';

/** The differing aspect. `only in …` names an element that the other document does not contain. */
export type Aspect =
  | 'only in the contract'
  | 'only here'
  | 'type'
  | 'values'
  | 'required'
  | 'default'
  | 'minimum'
  | 'maximum'
  | 'minLength'
  | 'maxLength'
  | 'maxItems'
  | 'pattern';

export interface Difference {
  /** `GET /v2/clusters`. */
  readonly operation: string;
  readonly part: 'operation' | 'parameter' | 'body' | 'status' | 'answer' | 'header';
  /** Parameter, field or status. Fields of responses are without their status. */
  readonly place: string;
  readonly aspect: Aspect;
  /** The value in each document; '' where it is absent. */
  readonly contract: string;
  readonly own: string;
}

type Found = Omit<Difference, 'operation'>;
type Part = Difference['part'];

/** Every difference, operation by operation and field by field, in the order of the contract. */
export function compareOperations(contract: ApiOperations, own: ApiOperations): readonly Difference[] {
  const differences: Difference[] = [];
  for (const [name, operation] of contract) {
    const served = own.get(name);
    const found = served ? compareOperation(operation, served) : [onlyIn('contract', 'operation', '', 'is not served')];
    differences.push(...found.map((difference) => ({ operation: name, ...difference })));
  }
  for (const name of own.keys())
    if (!contract.has(name)) differences.push({ operation: name, ...onlyIn('own', 'operation', '', 'served') });
  return differences;
}

function compareOperation(contract: ApiOperation, own: ApiOperation): readonly Found[] {
  return [
    ...compareShapes('parameter', contract.parameters, own.parameters, requestAspects),
    ...compareShapes('body', contract.body ?? new Map(), own.body ?? new Map(), requestAspects),
    ...compareKeys('status', [...contract.answers.keys()], [...own.answers.keys()]),
    ...[...contract.answers].flatMap(([status, answer]) => {
      const told = own.answers.get(status);
      if (!told) return [];
      return [
        ...compareKeys('header', answer.headers, told.headers),
        ...compareShapes('answer', answer.fields, told.fields, answerAspects),
      ];
    }),
  ];
}

type Aspects = (contract: Shape, own: Shape) => readonly (readonly [Aspect, string, string])[];

/** The aspects of request fields: every limit counts. */
const requestAspects: Aspects = (contract, own) => [
  ...typeAspects(contract, own),
  ['required', String(contract.isRequired), String(own.isRequired)],
  ['default', contract.fallback ?? '', own.fallback ?? ''],
  ...(['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems', 'pattern'] as const).map(
    (limit) => [limit, contract.limits.get(limit) ?? '', own.limits.get(limit) ?? ''] as const,
  ),
];

/** A required member in place of an optional one is compatible in responses. */
const answerAspects: Aspects = (contract, own) => [
  ...typeAspects(contract, own),
  [
    'required',
    String(contract.isRequired),
    String(own.isRequired || contract.isRequired === own.isRequired ? contract.isRequired : false),
  ],
];

const typeAspects: Aspects = (contract, own) => [
  ['type', contract.type, own.type],
  ['values', sortedValues(contract), sortedValues(own)],
];

const sortedValues = ({ words = [] }: Shape): string =>
  [...words]
    .map((word) => word || "''")
    .sort()
    .join(', ');

function compareShapes(part: Part, contract: Shapes, own: Shapes, aspectsOf: Aspects): readonly Found[] {
  const found: Found[] = [];
  for (const [place, shape] of contract) {
    const other = own.get(place);
    if (!other) {
      // The parts of a missing element are not listed separately.
      if (own.has(parentOf(place)) || parentOf(place) === place || !contract.has(parentOf(place)))
        found.push(onlyIn('contract', part, place, shape.type));
      continue;
    }
    for (const [aspect, wanted, given] of aspectsOf(shape, other))
      if (wanted !== given) found.push({ part, place, aspect, contract: wanted, own: given });
  }
  for (const [place, shape] of own)
    if (!contract.has(place) && (contract.has(parentOf(place)) || !own.has(parentOf(place))))
      found.push(onlyIn('own', part, place, shape.type));
  return found;
}

const parentOf = (place: string): string => place.replace(/(?:\.[^.[{]+|\[\]|\{\}|^[^.[{]+)$/, '');

const compareKeys = (part: Part, contract: readonly string[], own: readonly string[]): readonly Found[] => [
  ...contract.filter((key) => !own.includes(key)).map((key) => onlyIn('contract', part, key, '')),
  ...own.filter((key) => !contract.includes(key)).map((key) => onlyIn('own', part, key, '')),
];

const onlyIn = (where: 'contract' | 'own', part: Part, place: string, says: string): Found => ({
  part,
  place,
  aspect: where === 'contract' ? 'only in the contract' : 'only here',
  contract: where === 'contract' ? says : '',
  own: where === 'own' ? says : '',
});
