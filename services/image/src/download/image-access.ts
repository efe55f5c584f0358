import { UUID_PATTERN } from '@muster/assisted-api';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type ImageConfig } from '../config';

interface TokenClaims {
  readonly infra_env_id?: unknown;
  readonly sub?: unknown;
}

/** Who may have the image of which infra-env. */
@Injectable()
export class ImageAccess {
  constructor(@Inject(CONFIG) private readonly config: ImageConfig) {}

  /** The infra-env that a URL names by id. Throws RefusalError unless the token, where one is asked for, opens it. */
  async byId(infraEnvId: string, token: string): Promise<string> {
    const id = idOf(infraEnvId);
    if (this.config.tokenKey && (await this.infraEnvOf(token)) !== id) throw unknown(id);
    return id;
  }

  /** The infra-env that a token names. Throws RefusalError when it names none or, where tokens are checked, is not genuine. */
  byToken(token: string): Promise<string> {
    return this.infraEnvOf(token);
  }

  private async infraEnvOf(token: string): Promise<string> {
    const { infra_env_id: own, sub } = this.config.tokenKey ? await this.verified(token) : readClaims(token);
    return idOf(String(sub ?? own ?? ''));
  }

  private async verified(token: string): Promise<TokenClaims> {
    const { tokenKey } = this.config;
    if (!tokenKey || token === '') throw unauthorized('it carries no token');
    const { jwtVerify } = await import('jose');
    return jwtVerify(token, tokenKey, { algorithms: ['ES256'] }).then(
      ({ payload }) => payload,
      () => {
        throw unauthorized('its token is not one of this service, or has expired');
      },
    );
  }
}

function readClaims(token: string): TokenClaims {
  try {
    return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as TokenClaims;
  } catch {
    throw unauthorized('its token cannot be read');
  }
}

function idOf(infraEnvId: string): string {
  if (!UUID_PATTERN.test(infraEnvId)) throw unknown(infraEnvId);
  return infraEnvId.toLowerCase();
}

const unknown = (infraEnvId: string): RefusalError =>
  new RefusalError({ code: 'not-found', reason: `There is no infra-env ${infraEnvId.slice(0, 64)}.` });

const unauthorized = (why: string): RefusalError =>
  new RefusalError({
    code: 'unauthorized',
    reason: `This address does not open an image: ${why}. Ask the service for a new image URL.`,
  });
