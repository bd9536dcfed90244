package io.cloudmw.core.catalog.memory;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cloudmw.core.catalog.AppliedCalls;
import io.cloudmw.core.catalog.ChangeRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.CallId;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** The calls that took effect, with their answers, behind the catalog's lock. */
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

    /** Makes a change, unless a try of the same call did; the catalog's lock is held meanwhile. */
    @SuppressWarnings("unchecked") // a call is of one kind, whose answers are of one type
    <T> T once(ChangeRequest request, Body<T> body) throws CloudMwException {
        synchronized (catalog) {
            catalog.checkOpen();
            Object answered =
                    request.call().isPresent() ? answers.get(request.call().get()) : null;
            if (answered != null) {
                return (T) answered;
            }
            request.requireFresh();
            T answer = body.run();
            if (request.call().isPresent()) {
                answers.put(request.call().get(), answer);
            }
            return answer;
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
