import type { Difference } from './difference';

/** Why something is not as in the contract, and which differences that explains. The first that fits counts. */
export interface Reason {
  readonly id: string;
  readonly why: string;
  explains(difference: Difference): boolean;
}

const PRESIGNED = /\/downloads\/(?:credentials|files)-presigned$/;
const LIMITS: readonly string[] = ['minimum', 'maximum', 'minLength', 'maxLength', 'maxItems'];
const PATTERNS_OF_OUR_OWN = /(?:cidr|ip|value|mac|mac_address)$/;

const onlyStatus =
  (where: Difference['aspect'], ...statuses: readonly string[]) =>
  ({ part, aspect, place }: Difference): boolean =>
    part === 'status' && aspect === where && statuses.includes(place);
const missing = ({ aspect }: Difference): boolean => aspect === 'only in the contract';
const answerField =
  (pattern: RegExp) =>
  ({ part, place }: Difference): boolean =>
    part === 'answer' && pattern.test(place);

export const REASONS: readonly Reason[] = [
  {
    id: 'URLs of an object store',
    why: 'These operations are always refused with a reason (see open-operations.md): no such URLs are handed out.',
    explains: ({ operation }) => PRESIGNED.test(operation) && operation.includes('{cluster_id}'),
  },
  {
    id: 'Present names of operators',
    why: 'The example list of the contract has the old name numa-resources. assisted-service v2 and its console use numaresources.',
    explains: ({ operation, place }) => operation === 'GET /v2/supported-operators' && place === '[]',
  },
  {
    id: 'Methods of a path',
    why: 'An operation cannot be answered with 405: that status means that the path has no such method.',
    explains: onlyStatus('only in the contract', '405'),
  },
  {
    id: 'Everything is built',
    why: 'An operation that works is never answered with 501.',
    explains: onlyStatus('only in the contract', '501'),
  },
  {
    id: 'Nothing to be found',
    why: 'These operations name nothing that could be missing.',
    explains: (difference) =>
      difference.operation.includes('/v2/support-levels/') && onlyStatus('only in the contract', '404')(difference),
  },
  {
    id: 'Refusals that are told of',
    why:
      'The contract tells of these refusals at some operations only; here every operation tells of every way in which it can be refused: ' +
      'a parameter or body without the required form, nothing proven, not allowed, not there, not in this state, too large, another media type, ' +
      'a name that cannot be used, too many requests, a fault, something away.',
    explains: onlyStatus('only here', '400', '401', '403', '404', '409', '413', '415', '422', '429', '500', '503'),
  },
  {
    id: 'When to ask again',
    why: 'Answers that say "later" tell when, and a discovery document tells when it changed.',
    explains: ({ part, aspect, place }) =>
      part === 'header' && aspect === 'only here' && /^(?:Retry-After|Last-Modified)$/.test(place),
  },
  {
    id: 'Every input has a limit',
    why: 'Where the contract names no limit, texts, lists and numbers have one nevertheless, far beyond what is sent; what has to be given may not be empty.',
    explains: ({ aspect, contract }) => LIMITS.includes(aspect) && contract === '',
  },
  {
    id: 'Patterns',
    why: 'These patterns are written so that no input makes matching slow; whether an address or network exists is checked after that, by value.',
    explains: ({ aspect, place }) => aspect === 'pattern' && PATTERNS_OF_OUR_OWN.test(place),
  },
  {
    id: 'Names of manifests',
    why: 'They are checked by the rules for manifests, whose refusal says what is wrong with the name.',
    explains: ({ aspect, place, operation }) =>
      aspect === 'pattern' && operation.endsWith('/manifests') && /file_name$/.test(place),
  },
  {
    id: 'Left out means unchanged',
    why: 'In a change the folder of a manifest has no default: what is left out of a change stays as it is.',
    explains: ({ aspect, place, operation }) =>
      aspect === 'default' && operation === 'PATCH /v2/clusters/{cluster_id}/manifests' && /folder$/.test(place),
  },
  {
    id: 'Requests that would say nothing',
    why: 'Without this member the request says nothing that could be done: it is refused instead of being answered as if something had happened.',
    explains: ({ aspect, own, place }) =>
      aspect === 'required' && own === 'true' && /(?:cidr|current_stage|name|upfile)$/.test(place),
  },
  {
    id: 'Any object is taken',
    why: 'What a controller sends along is taken whatever its members are.',
    explains: (difference) => missing(difference) && difference.place === 'data{}',
  },
  {
    id: 'Left open by the contract',
    why: 'The contract gives the time of deletion no type; it is a time.',
    explains: (difference) => answerField(/deleted_at$/)(difference) && difference.contract === 'any',
  },
  {
    id: 'Never shown in lists',
    why: 'Events are filtered by these members; lists do not carry them, as those of today do not.',
    explains: (difference) => missing(difference) && answerField(/\[\]\.(?:category|request_id)$/)(difference),
  },
  {
    id: 'Images belong to infra-envs',
    why: 'A cluster has had no image of its own since infra-envs exist; the member is always an empty object.',
    explains: (difference) => missing(difference) && answerField(/image_info\./)(difference),
  },
  {
    id: 'Nobody sells anything',
    why: 'There are no subscriptions here.',
    explains: (difference) => missing(difference) && answerField(/ams_subscription_id$/)(difference),
  },
  {
    id: 'Nothing to tell',
    why: 'Defaults belong to no cluster.',
    explains: (difference) => missing(difference) && answerField(/_(?:ipv4|dualstack)\[\]\.cluster_id$/)(difference),
  },
  {
    id: 'Not kept yet',
    why: 'Whether an operator is there for others only is not kept with the cluster.',
    explains: (difference) => missing(difference) && answerField(/dependency_only$/)(difference),
  },
  {
    id: 'No host has the role bootstrap',
    why: 'Which host is the bootstrap is told by the member bootstrap; its role is that of the node it becomes.',
    explains: (difference) => answerField(/role$/)(difference) && difference.aspect === 'words',
  },
];

export const reasonOf = (difference: Difference): Reason | undefined =>
  REASONS.find((reason) => reason.explains(difference));
