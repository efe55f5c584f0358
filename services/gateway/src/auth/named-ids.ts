import type { FastifyRequest } from 'fastify';

/** Ids of a tenant's resources that one part of a request names, in lower case. */
export interface NamedIds {
  readonly clusterId?: string;
  readonly infraEnvId?: string;
  /** Hosts of the infra-env, or hosts of any infra-env where none is named. */
  readonly hostIds: readonly string[];
}

type Fields = { readonly [name: string]: unknown };

/** The ids in the path, the query and the body. A host id belongs to the infra-env beside it, else to that of the path. */
export const idsOfPath = ({ params }: FastifyRequest): NamedIds => namedIds(params);
export const idsOfQuery = ({ query }: FastifyRequest): NamedIds => namedIds(query);
export function idsOfBody(request: FastifyRequest): NamedIds {
  const ids = namedIds(request.body);
  return { ...ids, infraEnvId: ids.infraEnvId ?? idsOfPath(request).infraEnvId };
}

function namedIds(part: unknown): NamedIds {
  const fields = (typeof part === 'object' && part !== null ? part : {}) as Fields;
  return {
    clusterId: lastOf(fields['cluster_id']),
    infraEnvId: lastOf(fields['infra_env_id']),
    hostIds: [...textsOf(fields['host_id']), ...textsOf(fields['host_ids'])],
  };
}

/** The last value of a repeated parameter counts, as in `LastValue`. */
const lastOf = (value: unknown): string | undefined => textsOf(value).at(-1);

const textsOf = (value: unknown): readonly string[] =>
  [value]
    .flat()
    .filter((item) => typeof item === 'string')
    .flatMap((item) => item.split(','))
    .map((item) => item.trim().toLowerCase())
    .filter((item) => item !== '');
