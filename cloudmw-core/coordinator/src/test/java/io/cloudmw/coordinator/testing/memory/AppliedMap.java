package io.cloudmw.coordinator.testing.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.coordinator.catalog.AppliedCalls;
import io.cloudmw.coordinator.catalog.ChangeRequest;
import io.cloudmw.coordinator.catalog.Refusal;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.CallId;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** The calls that were answered, with their answers, behind the catalog's lock. */
final class AppliedMap implements AppliedCalls {
    private static final UUID LOWEST = new UUID(Long.MIN_VALUE, Long.MIN_VALUE);

    private final InMemoryCatalog catalog;

    @GuardedBy("catalog")
    private final TreeMap<CallId, Object> answers = new TreeMap<>();

    AppliedMap(InMemoryCatalog catalog) {
        this.catalog = catalog;
    }

    /** Something that changes the catalog. */
    @FunctionalInterface
    interface Body<T> {
        T run() throws CloudMwException;
    }

    /**
     * Makes a change, unless a try of the same call was answered; what it is refused with is an answer too. The catalog's lock is
     * held meanwhile.
     */
    @SuppressWarnings("unchecked") // a call is of one kind, whose answers are of one type
    <T> T once(ChangeRequest request, Body<T> body) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            Object answered =
                    request.call().isPresent() ? answers.get(request.call().get()) : null;
            if (answered instanceof CloudMwException refusal) {
                throw Refusal.decode(Refusal.encode(refusal)); // with its own trace
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
                if (Refusal.is(e)) {
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
