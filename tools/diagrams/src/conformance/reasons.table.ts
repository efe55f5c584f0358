import type { Difference } from './compare-operations';

/** A reason for differences from the contract. The first reason that explains a difference applies. */
export interface Reason {
  readonly id: string;
  readonly why: string;
  explains(difference: Difference): boolean;
}

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
    id: 'Current names of operators',
    why: 'The example list of the contract has the old name numa-resources. assisted-service v2 and its console use numaresources.',
    explains: ({ operation, place }) => operation === 'GET /v2/supported-operators' && place === '[]',
  },
  {
    id: 'Methods of a path',
    why: 'A documented operation never answers 405, which means that the path does not have the method.',
    explains: onlyStatus('only in the contract', '405'),
  },
  {
    id: 'Every operation is implemented',
    why: 'An implemented operation never answers 501.',
    explains: onlyStatus('only in the contract', '501'),
  },
  {
    id: 'No resource in the path',
    why: 'These operations name no resource that could be missing.',
    explains: (difference) =>
      difference.operation.includes('/v2/support-levels/') && onlyStatus('only in the contract', '404')(difference),
  },
  {
    id: 'Documented refusals',
    why:
      'The contract documents these refusals at some operations only. Muster documents every possible refusal of every operation: ' +
      'invalid parameter or body, missing authentication, missing permission, not found, slow body, conflict with the state, too large, ' +
      'unsupported media type, unusable name, too many requests, internal error, unavailable dependency, full disk.',
    explains: onlyStatus(
      'only here',
      ...['400', '401', '403', '404', '408', '409', '413', '415', '422', '429', '500', '503', '507'],
    ),
  },
  {
    id: 'Repeated requests',
    why: 'With Idempotency-Key a client can repeat a write whose outcome it does not know. assisted-service v2 ignores the header.',
    explains: ({ part, aspect, place }) =>
      part === 'parameter' && aspect === 'only here' && place === 'header Idempotency-Key',
  },
  {
    id: 'Retry headers',
    why: 'Temporary refusals carry Retry-After, and a discovery document carries Last-Modified.',
    explains: ({ part, aspect, place }) =>
      part === 'header' && aspect === 'only here' && /^(?:Retry-After|Last-Modified)$/.test(place),
  },
  {
    id: 'Every input has a limit',
    why: 'Texts, lists, and numbers without a limit in the contract have a limit far above real values. Required values may not be empty.',
    explains: ({ aspect, contract }) => LIMITS.includes(aspect) && contract === '',
  },
  {
    id: 'Patterns',
    why: 'These patterns match in linear time. The value is validated as an address or network afterwards.',
    explains: ({ aspect, place }) => aspect === 'pattern' && PATTERNS_OF_OUR_OWN.test(place),
  },
  {
    id: 'Names of manifests',
    why: 'The manifest rules validate names, and their refusal names the error.',
    explains: ({ aspect, place, operation }) =>
      aspect === 'pattern' && operation.endsWith('/manifests') && /file_name$/.test(place),
  },
  {
    id: 'Omitted means unchanged',
    why: 'In an update, the folder of a manifest has no default: omitted members stay unchanged.',
    explains: ({ aspect, place, operation }) =>
      aspect === 'default' && operation === 'PATCH /v2/clusters/{cluster_id}/manifests' && /folder$/.test(place),
  },
  {
    id: 'Requests without content',
    why: 'Without this member the request has no effect. It is refused instead of being answered with success.',
    explains: ({ aspect, own, place }) =>
      aspect === 'required' && own === 'true' && /(?:cidr|current_stage|name|upfile)$/.test(place),
  },
  {
    id: 'Any object is accepted',
    why: 'Additional data of a controller may have any members.',
    explains: (difference) => missing(difference) && difference.place === 'data{}',
  },
  {
    id: 'Undefined in the contract',
    why: 'The contract defines no type for the deletion time. It is a timestamp.',
    explains: (difference) => answerField(/deleted_at$/)(difference) && difference.contract === 'any',
  },
  {
    id: 'Never shown in lists',
    why: 'Events can be filtered by these members. Lists omit them, as in assisted-service v2.',
    explains: (difference) => missing(difference) && answerField(/\[\]\.(?:category|request_id)$/)(difference),
  },
  {
    id: 'Images belong to infra-envs',
    why: 'Images belong to infra-envs, so this member of a cluster is always an empty object.',
    explains: (difference) => missing(difference) && answerField(/image_info\./)(difference),
  },
  {
    id: 'No subscriptions',
    why: 'Muster has no subscriptions.',
    explains: (difference) => missing(difference) && answerField(/ams_subscription_id$/)(difference),
  },
  {
    id: 'Defaults without a cluster',
    why: 'Default networks belong to no cluster.',
    explains: (difference) => missing(difference) && answerField(/_(?:ipv4|dualstack)\[\]\.cluster_id$/)(difference),
  },
  {
    id: 'Not stored yet',
    why: 'The cluster does not store whether an operator is only a dependency.',
    explains: (difference) => missing(difference) && answerField(/dependency_only$/)(difference),
  },
  {
    id: 'No host has the role bootstrap',
    why: 'The member `bootstrap` identifies the bootstrap host. Its role is the role of the later node.',
    explains: (difference) => answerField(/role$/)(difference) && difference.aspect === 'values',
  },
  {
    id: 'Reclaim over REST',
    why: 'assisted-service v2 reclaims hosts through its Kubernetes API only. Without this parameter, unbinding is as in the contract.',
    explains: ({ place, operation }) => place === 'query reclaim' && operation.endsWith('/actions/unbind'),
  },
];

export const reasonOf = (difference: Difference): Reason | undefined =>
  REASONS.find((reason) => reason.explains(difference));
