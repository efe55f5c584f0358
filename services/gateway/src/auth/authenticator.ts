import type { AuthScheme } from './accepts.decorator';
import type { Caller } from './caller';

export interface PathIds {
  readonly infraEnvId?: string;
  readonly clusterId?: string;
  readonly hostId?: string;
}

/** One authentication mode (AUTH_TYPE). */
export interface Authenticator {
  /**
   * Returns the identity of a valid credential; undefined for an invalid one. Throws RefusalError `forbidden` for a genuine
   * credential that is of no use here.
   */
  authenticate(scheme: AuthScheme, credential: string, path: PathIds): Promise<Caller | undefined>;
}

export const AUTHENTICATOR = Symbol('Authenticator');
