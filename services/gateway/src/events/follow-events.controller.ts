import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { eventKeyOf, FollowEventsQuery, FOLLOWED_EVENTS_DEFAULT, V2_EVENT } from '@muster/assisted-api';
import { RefusalError } from '@muster/problems';
import { Controller, Get, Query, Req } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { AnswersText } from '../api-document/answers.decorator';
import { Accepts } from '../auth/caller';
import { ReadYourWrites } from '../bus/read-your-writes';
import { type JsonAnswer, jsonPieces } from '../http/file-answers';
import { MUSTER_API } from '../http/routes';
import { EventPages, type FollowedPage } from './event-pages';
import { EventScopes } from './events.controller';

const FOLLOWED_EVENTS = Type.Object(
  {
    events: Type.Array(Type.Object({ position: Type.String(), ...V2_EVENT.properties }, { title: 'followed-event' })),
    next: Type.String(),
  },
  { title: 'followed-events' },
);

/** Maximum number of answers that wait for an event. */
export const WAITING_FOLLOWERS_MAX = 200;
/** Maximum number of them for one user without the rights of an administrator, so that other users can wait too. */
export const WAITING_FOLLOWERS_OF_USER_MAX = 20;
/** Time in which further events are collected for an answer that waited. */
const COLLECTING_MS = 250;

/** The event log for programs that read each event once and continue where they ended. */
@Controller(MUSTER_API)
export class FollowEventsController {
  private waiting = 0;
  private readonly waitingOfUsers = new Map<string, number>();

  constructor(
    private readonly pages: EventPages,
    private readonly visible: EventScopes,
    private readonly readYourWrites: ReadYourWrites,
  ) {}

  @Get('events')
  @AnswersText('List the events after a position, and wait for new ones.', FOLLOWED_EVENTS, { refersToOthers: true })
  @Accepts('userAuth')
  async followEvents(@Query() query: FollowEventsQuery, @Req() request: FastifyRequest): Promise<JsonAnswer> {
    const { caller } = request;
    if (this.visible.hasNothingToShow(caller, query)) {
      const reason = 'Name cluster_id or infra_env_id. Only administrators can list the events of all owners.';
      throw new RefusalError({ code: 'invalid-input', reason, subject: 'cluster_id' });
    }
    await this.visible.readable(caller, query);
    const closed = new AbortController();
    const close = (): void => closed.abort();
    // A client may disconnect before this line, and the socket does not emit the event again.
    if (request.socket.destroyed) close();
    request.socket.once('close', close);
    const limitedUser = caller?.role === 'user' ? caller.user : undefined;
    const page = await this.nextPage(query, limitedUser, closed.signal).finally(() =>
      request.socket.off('close', close),
    );
    const shown = page.events.map(({ document }) => document);
    return jsonPieces(await this.pages.followedText(page, await this.visible.originsShownTo(caller, shown)));
  }

  /**
   * Returns the next page with events; one without events at the end of the log when the time of the query is over or its client is
   * gone.
   */
  private async nextPage(
    query: FollowEventsQuery,
    limitedUser: string | undefined,
    closed: AbortSignal,
  ): Promise<FollowedPage> {
    const { limit = FOLLOWED_EVENTS_DEFAULT, wait = 0 } = query;
    const endsAtMs = performance.now() + wait * 1_000;
    const [position = '', ordinal] = query.after?.split('.') ?? [];
    let after = position === '' ? undefined : eventKeyOf(position, ordinal);
    for (;;) {
      const seen = this.readYourWrites.position;
      const page = await this.pages.readAfter(query, after, limit);
      if (page.events.length > 0) return page;
      after = page.last;
      if (page.hasMore) {
        await nextTurn();
        continue;
      }
      const leftMs = endsAtMs - performance.now();
      if (leftMs <= 0) return page;
      const moved = await this.counted(limitedUser, () => this.readYourWrites.movedFrom(seen, leftMs, closed));
      if (!moved || closed.aborted) return page;
      await sleep(COLLECTING_MS);
    }
  }

  /** @throws RefusalError `busy` when too many requests of the user, or of all callers, wait already */
  private async counted(limitedUser: string | undefined, wait: () => Promise<boolean>): Promise<boolean> {
    const ofUser = limitedUser === undefined ? 0 : (this.waitingOfUsers.get(limitedUser) ?? 0);
    if (this.waiting >= WAITING_FOLLOWERS_MAX || ofUser >= WAITING_FOLLOWERS_OF_USER_MAX)
      throw new RefusalError({
        code: 'busy',
        reason: 'Too many requests wait for events. Send the request again later.',
      });
    this.count(limitedUser, 1);
    try {
      return await wait();
    } finally {
      this.count(limitedUser, -1);
    }
  }

  private count(limitedUser: string | undefined, change: 1 | -1): void {
    this.waiting += change;
    if (limitedUser === undefined) return;
    const ofUser = (this.waitingOfUsers.get(limitedUser) ?? 0) + change;
    if (ofUser === 0) this.waitingOfUsers.delete(limitedUser);
    else this.waitingOfUsers.set(limitedUser, ofUser);
  }
}
