import { Injectable } from '@nestjs/common';
import { RefusalError } from '@muster/problems';
import type { Caller } from './caller';
import type { NamedIds } from './named-ids';
import { type Wish, Ownership } from './ownership';
import { TokenScopes } from './token-scope.service';

/** The one check of ids against the caller, for paths, queries and bodies of all routes. */
@Injectable()
export class ResourceAccess {
  constructor(
    private readonly scopes: TokenScopes,
    private readonly ownership: Ownership,
  ) {}

  /**
   * Resources that do not exist pass: the handler refuses them.
   *
   * @throws RefusalError `not-found` for a resource outside of the token's scope or of another tenant, `forbidden` for one that
   * the caller may only read.
   */
  async check(caller: Caller, wish: Wish, ids: NamedIds): Promise<void> {
    // The same refusal as for a missing resource, so that a token does not reveal which ids exist.
    if (caller.scope && !(await this.scopes.covers(caller.scope, ids)))
      throw new RefusalError({ code: 'not-found', reason: 'Not found, or this token does not give access to it.' });
    await this.ownership.check(caller, wish, ids);
  }
}
