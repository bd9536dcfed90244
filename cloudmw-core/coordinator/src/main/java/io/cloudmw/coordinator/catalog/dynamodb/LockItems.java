package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.change.CatalogErrors;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.RunningCalls;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.lock.LockRecords;
import io.cloudmw.coordinator.lock.PathLocks;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.VolumeName;
import io.cloudmw.core.model.lock.LockAnswer;
import io.cloudmw.core.model.lock.LockClaim;
import io.cloudmw.core.model.lock.LockRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/**
 * The items of locks, one for each file that has some, and one for each volume with its last fence and the number of
 * those files. Safe for any thread.
 */
final class LockItems implements LockRecords {
    private final RunningCalls calls;
    private final Table table;
    private final TransactionRetry transactions;

    LockItems(RunningCalls calls, Table table, TransactionRetry transactions) {
        this.calls = calls;
        this.table = table;
        this.transactions = transactions;
    }

    /** The last fence of a volume and the number of its files with locks. */
    private record Count(long fence, long files) {
        static Count of(Optional<Item> item) {
            return item.map(known -> new Count(known.number(Item.EPOCH), known.number(Item.LOCKED)))
                    .orElse(new Count(0, 0));
        }

        void put(Transaction transaction, VolumeName volume) {
            transaction.put(
                    Item.at(KeyLayout.lockCount(volume)).with(Item.EPOCH, fence).with(Item.LOCKED, files));
        }
    }

    @Override
    public LockAnswer acquire(LockRequest request, long nowMillis) throws CloudMwException {
        return calls.call(() -> {
            Optional<LockAnswer> answer = transactions.run(transaction -> acquire(transaction, request, nowMillis));
            if (answer.isEmpty()) {
                dropOver(request.file().volume(), nowMillis);
                answer = transactions.run(transaction -> acquire(transaction, request, nowMillis));
            }
            return answer.orElseThrow(() -> LockRecords.tooMany(request.file().volume()));
        });
    }

    /** Answers a request; empty: the volume has too many files with locks. */
    private static Optional<LockAnswer> acquire(Transaction transaction, LockRequest request, long nowMillis)
            throws TransactionConflict, CloudMwException {
        FilePath file = request.file();
        VolumeName volume = file.volume();
        transaction.load(List.of(KeyLayout.volume(volume), KeyLayout.lockCount(volume), KeyLayout.lock(file)));
        if (transaction.get(KeyLayout.volume(volume)).isEmpty()) {
            throw CatalogErrors.volumeNotFound(volume);
        }
        Count count = Count.of(transaction.get(KeyLayout.lockCount(volume)));
        PathLocks before = find(transaction, file);
        boolean isNew = before.locks().isEmpty();
        if (isNew && count.files() >= MAX_FILES) {
            return Optional.empty();
        }
        PathLocks.Grant grant = before.request(request, count.fence() + 1, nowMillis);
        if (grant.answer().claim().isEmpty()) {
            return Optional.of(grant.answer());
        }
        put(transaction, grant.locks());
        if (grant.answer().claim().get().fence() > count.fence()) {
            new Count(count.fence() + 1, count.files() + (isNew ? 1 : 0)).put(transaction, volume);
        }
        return Optional.of(grant.answer());
    }

    private void dropOver(VolumeName volume, long nowMillis) throws CloudMwException {
        for (Item item : table.queryAll(KeyRange.all(KeyLayout.locks(volume)))) {
            PathLocks locks = StoredForms.pathLocks(item.bytes(Item.FORM));
            if (locks.untilMillis() <= nowMillis) {
                change(locks.file(), now -> now.untilMillis() <= nowMillis ? PathLocks.none(locks.file()) : now);
            }
        }
    }

    /** A change of the locks on a file. */
    private interface Update {
        PathLocks of(PathLocks before) throws CloudMwException;
    }

    private void change(FilePath file, Update update) throws CloudMwException {
        var unused = transactions.run(transaction -> {
            PathLocks before = find(transaction, file);
            PathLocks after = update.of(before);
            if (after.equals(before)) {
                return after;
            }
            put(transaction, after);
            if (after.locks().isEmpty()) {
                Count count = Count.of(transaction.get(KeyLayout.lockCount(file.volume())));
                new Count(count.fence(), Math.max(0, count.files() - 1)).put(transaction, file.volume());
            }
            return after;
        });
    }

    @Override
    public void renew(FilePath file, LockClaim claim, Duration term, long nowMillis) throws CloudMwException {
        calls.act(() -> change(file, before -> before.renew(claim, nowMillis + term.toMillis())));
    }

    @Override
    public void release(FilePath file, UUID lockId) throws CloudMwException {
        calls.act(() -> change(file, before -> before.without(lockId)));
    }

    @Override
    public PathLocks of(FilePath file) throws CloudMwException {
        return calls.call(() -> locks(table.get(KeyLayout.lock(file)), file));
    }

    /** Makes the transaction fail unless the locks are still held. */
    static void requireHeld(Transaction transaction, FilePath file, List<LockClaim> claims) throws CloudMwException {
        if (claims.isEmpty()) {
            return;
        }
        ItemKey key = KeyLayout.lock(file);
        Optional<Item> item = transaction.get(key);
        locks(item, file).requireHeld(claims);
        transaction.require(
                key,
                Item.WRITTEN_BY + " = :seen",
                Map.of(":seen", AttributeValue.fromS(item.orElseThrow().writtenBy())));
    }

    /** Removes the locks of a deleted volume; its fences go on. */
    void removeAll(VolumeName volume) throws CloudMwException {
        for (Item item : table.queryAll(KeyRange.all(KeyLayout.locks(volume)))) {
            FilePath file = StoredForms.pathLocks(item.bytes(Item.FORM)).file();
            change(file, before -> PathLocks.none(file));
        }
    }

    private static PathLocks find(Transaction transaction, FilePath file) throws CloudMwException {
        return locks(transaction.get(KeyLayout.lock(file)), file);
    }

    private static PathLocks locks(Optional<Item> item, FilePath file) throws CloudMwException {
        return item.isEmpty()
                ? PathLocks.none(file)
                : StoredForms.pathLocks(item.get().bytes(Item.FORM));
    }

    private static void put(Transaction transaction, PathLocks locks) {
        ItemKey key = KeyLayout.lock(locks.file());
        if (locks.locks().isEmpty()) {
            transaction.delete(key);
        } else {
            transaction.put(Item.at(key).with(Item.FORM, StoredForms.pathLocks(locks)));
        }
    }
}
