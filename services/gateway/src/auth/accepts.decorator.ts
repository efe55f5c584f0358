import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiSecurity } from '@nestjs/swagger';
import type { Role } from './caller';

/** Authentication schemes, as the v2 API names them. */
export type AuthScheme = 'userAuth' | 'agentAuth' | 'urlAuth' | 'imageAuth' | 'imageURLAuth' | 'watcherAuth';

/** Metadata key of the schemes that a route accepts. */
export const ACCEPTED_SCHEMES = Symbol('accepted schemes');
/** Metadata key of the roles that a route is for. */
export const ALLOWED_ROLES = Symbol('allowed roles');

/** The route serves callers that authenticate by one of these schemes. A route without it refuses every caller. */
export const Accepts = (...schemes: readonly AuthScheme[]): MethodDecorator =>
  applyDecorators(SetMetadata(ACCEPTED_SCHEMES, schemes), ...schemes.map((scheme) => ApiSecurity(scheme)));

/** The route serves everyone. */
export const AcceptsAnyone = (): MethodDecorator => SetMetadata(ACCEPTED_SCHEMES, 'anyone');

/** Users of these roles only. Without it every role may read, and read-only-admin may not write. */
export const OnlyRoles = (...roles: readonly Role[]): MethodDecorator => SetMetadata(ALLOWED_ROLES, roles);
