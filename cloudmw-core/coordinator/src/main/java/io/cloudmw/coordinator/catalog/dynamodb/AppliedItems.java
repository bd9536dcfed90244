package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.AppliedCalls;
import io.cloudmw.coordinator.catalog.ChangeRequest;
import io.cloudmw.coordinator.catalog.Refusal;
import io.cloudmw.coordinator.catalog.stored.StoredAnswer;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.List;
import java.util.Optional;

/** The calls that were answered, with their answers, one item for each; in sixteen partitions. Safe for any thread. */
final class AppliedItems implements AppliedCalls {
    private final Calls calls;
    private final Table table;

    AppliedItems(Calls calls, Table table) {
        this.calls = calls;
        this.table = table;
    }

    /** Makes a change, unless a try of the same call was answered; what it is refused with is an answer too. */
    static <T> T once(
            Transactions transactions, ChangeRequest request, StoredAnswer<T> form, Transactions.Body<T> change)
            throws CloudMwException {
        if (request.call().isEmpty()) {
            return transactions.run(change);
        }
        Key key = Keys.appliedCall(request.call().get());
        try {
            return transactions.run(transaction -> unlessAnswered(transaction, key, request, form, change));
        } catch (CloudMwException e) {
            if (!Refusal.is(e)) {
                throw e;
            }
            Optional<T> answered = transactions.run(transaction -> refuse(transaction, key, request, form, e));
            return answered.orElseThrow(() -> e);
        }
    }

    /**
     * Whether it was answered is asked after all else was read: a try that takes effect after the question changes something that
     * was read before it, whatever is forgotten meanwhile, and this one begins anew.
     */
    private static <T> T unlessAnswered(
            Transaction transaction, Key key, ChangeRequest request, StoredAnswer<T> form, Transactions.Body<T> change)
            throws Conflict, CloudMwException {
        Optional<T> answer = Optional.empty();
        Optional<CloudMwException> failure = Optional.empty();
        try {
            answer = Optional.of(change.run(transaction));
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.OVERLOADED || e.code() == ErrorCode.CANCELLED) {
                throw e; // no answer to the call: its next try asks
            }
            failure = Optional.of(e);
        }
        Optional<Item> answered = transaction.get(key);
        if (answered.isPresent()) {
            transaction.dropChanges();
            return answer(answered.get(), form);
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
        request.requireFresh();
        transaction.put(Item.at(key).with(Item.FORM, form.encode(answer.orElseThrow())));
        return answer.get();
    }

    /** Unless another try was answered meanwhile: then gives that. */
    private static <T> Optional<T> refuse(
            Transaction transaction, Key key, ChangeRequest request, StoredAnswer<T> form, CloudMwException refusal)
            throws CloudMwException {
        Optional<Item> answered = transaction.get(key);
        if (answered.isPresent()) {
            return Optional.of(answer(answered.get(), form));
        }
        request.requireFresh();
        transaction.put(Item.at(key).with(Item.REFUSAL, Refusal.encode(refusal)));
        return Optional.empty();
    }

    private static <T> T answer(Item kept, StoredAnswer<T> form) throws CloudMwException {
        if (kept.has(Item.REFUSAL)) {
            throw Refusal.decode(kept.text(Item.REFUSAL));
        }
        return form.decode(kept.bytes(Item.FORM));
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
