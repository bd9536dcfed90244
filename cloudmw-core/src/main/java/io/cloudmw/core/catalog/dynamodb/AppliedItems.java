package io.cloudmw.core.catalog.dynamodb;

import io.cloudmw.core.catalog.AppliedCalls;
import io.cloudmw.core.catalog.ChangeRequest;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import io.cloudmw.core.wire.StoredAnswer;
import java.util.List;
import java.util.Optional;

/** The calls that took effect, with their answers, one item for each; in sixteen partitions. Safe for any thread. */
final class AppliedItems implements AppliedCalls {
    private final Calls calls;
    private final Table table;

    AppliedItems(Calls calls, Table table) {
        this.calls = calls;
        this.table = table;
    }

    /**
     * A change, unless a try of the same call made it. That is asked after all else was read: a try that takes effect after the
     * question changes something that was read before it, whatever is forgotten meanwhile, and this one begins anew.
     */
    static <T> Transactions.Body<T> once(ChangeRequest request, StoredAnswer<T> form, Transactions.Body<T> change) {
        if (request.call().isEmpty()) {
            return change;
        }
        Key key = Keys.appliedCall(request.call().get());
        return transaction -> {
            Optional<T> answer = Optional.empty();
            Optional<CloudMwException> refusal = Optional.empty();
            try {
                answer = Optional.of(change.run(transaction));
            } catch (CloudMwException e) {
                if (e.code() == ErrorCode.OVERLOADED || e.code() == ErrorCode.CANCELLED) {
                    throw e; // no answer to the call: its next try asks
                }
                refusal = Optional.of(e);
            }
            Optional<Item> applied = transaction.get(key);
            if (applied.isPresent()) {
                transaction.dropChanges();
                return form.decode(applied.get().bytes(Item.FORM));
            }
            if (refusal.isPresent()) {
                throw refusal.get();
            }
            request.requireFresh();
            transaction.put(Item.at(key).with(Item.FORM, form.encode(answer.orElseThrow())));
            return answer.get();
        };
    }

    @Override
    public int prune(long issuedBeforeMillis) throws CloudMwException {
        return calls.call(() -> {
            int pruned = 0;
            for (String digit : Keys.DIGITS) {
                List<Key> old = table
                        .query(
                                Range.between(
                                        Keys.appliedCalls(digit), "0", Keys.issuedAt(Math.max(0, issuedBeforeMillis))),
                                PRUNE_BATCH,
                                "pk, sk")
                        .stream()
                        .map(Item::key)
                        .toList();
                table.deleteAll(old);
                pruned += old.size();
            }
            return pruned;
        });
    }
}
