package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.change.AppliedCalls;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.change.RefusedCall;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.RunningCalls;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.stored.StoredAnswer;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.error.ErrorCode;
import java.util.List;
import java.util.Optional;

/** The items of answered calls, one for each, in sixteen partitions. Safe for any thread. */
final class AppliedCallItems implements AppliedCalls {
    private final RunningCalls calls;
    private final Table table;

    AppliedCallItems(RunningCalls calls, Table table) {
        this.calls = calls;
        this.table = table;
    }

    /** Makes a change, unless an earlier attempt of the same call was answered. A refusal is an answer, too. */
    static <T> T once(
            TransactionRetry transactions, ChangeRequest request, StoredAnswer<T> form, TransactionRetry.Body<T> change)
            throws CloudMwException {
        if (request.call().isEmpty()) {
            return transactions.run(change);
        }
        ItemKey key = KeyLayout.appliedCall(request.call().get());
        try {
            return transactions.run(transaction -> unlessAnswered(transaction, key, request, form, change));
        } catch (CloudMwException e) {
            if (!RefusedCall.is(e)) {
                throw e;
            }
            Optional<T> answered = transactions.run(transaction -> refuse(transaction, key, request, form, e));
            return answered.orElseThrow(() -> e);
        }
    }

    /**
     * Runs the change unless the call was answered. The answer is read last: an attempt that commits after that read
     * changes an item read before it, so this transaction conflicts and is retried.
     */
    private static <T> T unlessAnswered(
            Transaction transaction,
            ItemKey key,
            ChangeRequest request,
            StoredAnswer<T> form,
            TransactionRetry.Body<T> change)
            throws TransactionConflict, CloudMwException {
        Optional<T> answer = Optional.empty();
        Optional<CloudMwException> failure = Optional.empty();
        try {
            answer = Optional.of(change.run(transaction));
        } catch (CloudMwException e) {
            if (e.code() == ErrorCode.OVERLOADED || e.code() == ErrorCode.CANCELLED) {
                throw e; // the call has no answer: its next attempt reads again
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

    /** Records a refusal, unless another attempt was answered first; then returns that answer. */
    private static <T> Optional<T> refuse(
            Transaction transaction, ItemKey key, ChangeRequest request, StoredAnswer<T> form, CloudMwException refusal)
            throws CloudMwException {
        Optional<Item> answered = transaction.get(key);
        if (answered.isPresent()) {
            return Optional.of(answer(answered.get(), form));
        }
        request.requireFresh();
        transaction.put(Item.at(key).with(Item.REFUSAL, RefusedCall.encode(refusal)));
        return Optional.empty();
    }

    private static <T> T answer(Item kept, StoredAnswer<T> form) throws CloudMwException {
        if (kept.has(Item.REFUSAL)) {
            throw RefusedCall.decode(kept.text(Item.REFUSAL));
        }
        return form.decode(kept.bytes(Item.FORM));
    }

    @Override
    public int prune(long issuedBeforeMillis) throws CloudMwException {
        return calls.call(() -> {
            int pruned = 0;
            for (String digit : KeyLayout.DIGITS) {
                List<ItemKey> old = table
                        .query(
                                KeyRange.between(
                                        KeyLayout.appliedCalls(digit),
                                        "0",
                                        KeyLayout.issuedAt(Math.max(0, issuedBeforeMillis))),
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
