import { Catch, type RpcExceptionFilter } from '@nestjs/common';
import { type Observable, throwError } from 'rxjs';

/** Passes errors to the transport unchanged: the filter of Nest would turn a refusal into "Internal server error". */
@Catch()
export class PassOnFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
