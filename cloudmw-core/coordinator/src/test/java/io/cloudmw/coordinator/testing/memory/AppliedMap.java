package io.cloudmw.coordinator.testing.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.change.AppliedCalls;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.RefusedCall;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.CallId;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** The answers of calls, guarded by the catalog's lock. */
final class AppliedMap implements AppliedCalls {
    private static final UUID LOWEST = new UUID(Long.MIN_VALUE, Long.MIN_VALUE);

    private final InMemoryCatalog catalog;

    @GuardedBy("catalog")
    private final TreeMap<CallId, Object> answers = new TreeMap<>();

    AppliedMap(InMemoryCatalog catalog) {
        this.catalog = catalog;
    }

    /** A change of the catalog. */
    @FunctionalInterface
    interface Body<T> {
        T run() throws CloudMwException;
    }

    /**
     * Makes a change, unless an earlier attempt of the same call was answered. A refusal is an answer, too. The
     * catalog's lock is held meanwhile.
     */
    @SuppressWarnings("unchecked") // a call has one kind, whose answers have one type
    <T> T once(ChangeRequest request, Body<T> body) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            Object answered =
                    request.call().isPresent() ? answers.get(request.call().get()) : null;
            if (answered instanceof CloudMwException refusal) {
                throw RefusedCall.decode(RefusedCall.encode(refusal)); // the error gets its own stack trace
            }
            if (answered != null) {
                return (T) answered;
            }
            request.requireFresh();
            try {
                T answer = body.run();
                request.call().ifPresent(call -> answers.put(call, answer));
                return answer;
            } catch (CloudMwException e) {
                if (RefusedCall.is(e)) {
                    request.call().ifPresent(call -> answers.put(call, e));
                }
                throw e;
            }
        }
    }

    @Override
    public int prune(long issuedBeforeMillis) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            SortedMap<CallId, Object> old = answers.headMap(new CallId(LOWEST, Math.max(0, issuedBeforeMillis)));
            int pruned = Math.min(PRUNE_BATCH, old.size());
            for (int i = 0; i < pruned; i++) {
                old.remove(old.firstKey());
            }
            return pruned;
        }
    }
}
