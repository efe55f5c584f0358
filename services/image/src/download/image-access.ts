import { UUID_PATTERN } from '@muster/assisted-api';
import { createSendHttp } from '@muster/host-api';
import { CLOCK, isCurrentGeneration, SECRETS, verifyImageToken } from '@muster/nest-kit';
import type { Clock, Secrets } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { isObject, type Members, parseJson, textAt } from '@muster/schema';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type ImageConfig } from '../config';

/** Authorizes access to the image of an infra-env. */
@Injectable()
export class ImageAccess implements OnApplicationShutdown {
  private readonly api: ReturnType<typeof createSendHttp>;

  constructor(
    @Inject(CONFIG) private readonly config: ImageConfig,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.api = createSendHttp({ caPem: config.apiCa });
  }

  onApplicationShutdown(): void {
    this.api.close();
  }

  /**
   * Returns the id of an infra-env whose image the caller may download: with the token of an image URL, or with the credentials of a user
   * with write access to the infra-env.
   * @throws RefusalError `unauthorized`, `forbidden` or `not-found`
   */
  async byId(infraEnvId: string, token: string, authorization?: string): Promise<string> {
    const id = idOf(infraEnvId);
    const { authType } = this.config;
    if (authType !== 'local' && authType !== 'oidc') return id;
    const known = token === '' && authorization ? await this.tokenFor(id, authorization) : token;
    if ((await this.byToken(known)) !== id) throw unknown(id);
    return id;
  }

  /**
   * Returns the token of the image URL in the API's answer. The API signs the URL only for callers with write access, because the image
   * contains the token of the agents. The credentials are forwarded unchanged.
   */
  private async tokenFor(id: string, authorization: string): Promise<string> {
    const url = `${this.config.apiBaseUrl}/api/assisted-install/v2/infra-envs/${id}`;
    const { status, text } = await this.read(url, authorization).catch(() => ({ status: 0, text: '' }));
    if (status >= 200 && status < 300) {
      const token = SIGNED_URL.exec(textAt(parseJson(text), 'download_url') ?? '')?.[1];
      if (token !== undefined) return token;
      throw new RefusalError({ code: 'forbidden', reason: IMAGE_HAS_SECRETS });
    }
    if (status === 401) throw unauthorized('its credentials are not valid');
    if (status >= 400 && status < 500) throw unknown(id);
    throw new RefusalError({
      code: 'busy',
      reason: `The API at ${this.config.apiBaseUrl} (SERVICE_BASE_URL) cannot check the credentials now. Try again later.`,
    });
  }

  private async read(url: string, authorization: string): Promise<{ readonly status: number; readonly text: string }> {
    const signal = AbortSignal.timeout(API_TIMEOUT_MS);
    const { status, body } = await this.api.send({ method: 'GET', url, headers: { authorization } }, signal);
    const chunks: Uint8Array[] = [];
    for await (const chunk of body) chunks.push(chunk);
    return { status, text: Buffer.concat(chunks).toString() };
  }

  /**
   * Returns the infra-env of a token.
   * @throws RefusalError when it names none or, with authentication, is not genuine
   */
  async byToken(token: string): Promise<string> {
    const { authType } = this.config;
    switch (authType) {
      case 'none':
      case 'agent-installer-local':
        return idOf(namedIn(readClaims(token)));
      case 'local': {
        const claims = await this.verified(token);
        const infraEnvId = idOf(namedIn(claims));
        // The image contains the present token of the agents, so a revoked URL must not give access to it.
        if (await isCurrentGeneration(this.secrets, infraEnvId, claims['generation'])) return infraEnvId;
        throw unauthorized('its token was revoked');
      }
      case 'oidc': {
        const infraEnvId = await verifyImageToken(this.secrets, token, this.clock.nowMs());
        if (infraEnvId === undefined) throw unauthorized(NOT_GENUINE);
        return infraEnvId;
      }
      default:
        return authType satisfies never;
    }
  }

  private async verified(token: string): Promise<Members> {
    const { tokenKey } = this.config;
    if (!tokenKey || token === '') throw unauthorized('it has no token');
    const { jwtVerify } = await import('jose');
    const currentDate = new Date(this.clock.nowMs());
    return jwtVerify(token, tokenKey, { algorithms: ['ES256'], currentDate }).then(
      ({ payload }) => payload,
      () => {
        throw unauthorized(NOT_GENUINE);
      },
    );
  }
}

const API_TIMEOUT_MS = 5_000;
const SIGNED_URL = /\/by(?:apikey|token)\/([^/]+)\/[^/]+\/[^/]+\/[^/]+$/;
const IMAGE_HAS_SECRETS =
  'The image contains the token of the agents and the pull secret. Only users with write access to the infra-env can download it.';
const NOT_GENUINE = 'its token was not issued by this service, or has expired';

const namedIn = ({ infra_env_id: own, sub }: Members): string => String(sub ?? own ?? '');

function readClaims(token: string): Members {
  const claims = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  if (!isObject(claims)) throw unauthorized('its token cannot be read');
  return claims;
}

function idOf(infraEnvId: string): string {
  if (!UUID_PATTERN.test(infraEnvId)) throw unknown(infraEnvId);
  return infraEnvId.toLowerCase();
}

const unknown = (infraEnvId: string): RefusalError =>
  new RefusalError({ code: 'not-found', reason: `Infra-env ${infraEnvId.slice(0, 64)} does not exist.` });

const unauthorized = (why: string): RefusalError =>
  new RefusalError({
    code: 'unauthorized',
    reason: `The image URL gives no access: ${why}. Request a new image URL from the service.`,
  });
