package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.ChangeRequest;
import io.cloudmw.coordinator.catalog.CurrentFile;
import io.cloudmw.coordinator.catalog.DirectoryEntry;
import io.cloudmw.coordinator.catalog.DirectoryPath;
import io.cloudmw.coordinator.catalog.ListingPosition;
import io.cloudmw.coordinator.catalog.Pages;
import io.cloudmw.coordinator.catalog.Tree;
import io.cloudmw.coordinator.catalog.TreeEntry;
import io.cloudmw.coordinator.catalog.TreeFile;
import io.cloudmw.coordinator.catalog.stored.StoredAnswer;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** What is done with paths, but the commit. Safe for any thread. */
final class Files {
    private static final String LISTED = "pk, sk, " + Item.FORM + ", " + Item.ATTRIBUTES;

    private final Table table;
    private final Transactions transactions;
    private final Numbers numbers;
    private final ChangeItems changes;

    Files(Table table, Transactions transactions, Numbers numbers, ChangeItems changes) {
        this.table = table;
        this.transactions = transactions;
        this.numbers = numbers;
        this.changes = changes;
    }

    void checkPath(FilePath file) throws CloudMwException {
        transactions.run(transaction -> {
            names(transaction).tree().checkPut(file);
            return file;
        });
    }

    private Names names(Transaction transaction) {
        return new Names(transaction, numbers, changes);
    }

    Optional<CurrentFile> file(FilePath path) throws CloudMwException {
        return transactions.run(transaction -> {
            Names names = names(transaction);
            Optional<TreeFile> file = names.tree().find(path).flatMap(TreeEntry::file);
            // Or a directory on the way was moved meanwhile: what is in it has another path now, and never had this
            // one.
            if (path.path().lastIndexOf('/') > 0 && !transaction.wasSoAtOnce()) {
                throw new Conflict("read while others wrote");
            }
            if (file.isEmpty()) {
                return Optional.empty();
            }
            TreeFile kept = file.get();
            return Optional.of(
                    new CurrentFile(names.version(kept.version()).at(path), kept.createdAtMillis(), kept.attributes()));
        });
    }

    Attributes setAttributes(AttributeChange change, ChangeRequest request) throws CloudMwException {
        FilePath file = change.file();
        return AppliedItems.once(transactions, request, StoredAnswer.ATTRIBUTES, transaction -> {
            Names names = names(transaction);
            TreeFile changed = names.tree().setAttributes(change);
            changes.add(
                    transaction, names, file.volume(), Change.attributes(file, changed.version(), request.nowMillis()));
            return changed.attributes();
        });
    }

    FileVersion remove(FilePath file, ChangeRequest request) throws CloudMwException {
        Done<FileVersion> done =
                AppliedItems.once(transactions, request, Done.as(StoredAnswer.VERSION), transaction -> {
                    Names names = names(transaction);
                    VersionId id = names.tree().remove(file);
                    FileVersion version = names.version(id);
                    changes.add(transaction, names, file.volume(), Change.removed(file, id, request.nowMillis()));
                    return new Done<>(version.at(file), names.leftToPrune());
                });
        prune(done.leftToPrune(), file);
        return done.result();
    }

    FileVersion link(FilePath from, FilePath to, TreeFile as, long nowMillis) throws CloudMwException {
        return transactions.run(transaction -> {
            Names names = names(transaction);
            if (names.tree().link(from, to, as)) {
                names.finish();
                changes.add(transaction, names, to.volume(), Change.put(to, as.version(), nowMillis));
                ChangeItems.linked(transaction, to.volume());
            }
            return names.version(as.version()).at(to);
        });
    }

    /** What a change gave, and the directory to look into after it. */
    private record Done<T>(T result, OptionalLong leftToPrune) {
        static <T> StoredAnswer<Done<T>> as(StoredAnswer<T> form) {
            return form.as(Done::result, result -> new Done<>(result, OptionalLong.empty()));
        }
    }

    DirectoryEntry rename(Rename rename, ChangeRequest request) throws CloudMwException {
        StoredAnswer<DirectoryEntry> form = StoredAnswer.MAYBE_VERSION.as(
                DirectoryEntry::version,
                version -> new DirectoryEntry(rename.to().name(), version));
        Done<DirectoryEntry> done = AppliedItems.once(transactions, request, Done.as(form), transaction -> {
            Names names = names(transaction);
            Tree.Renamed renamed = names.tree().rename(rename);
            names.finish();
            Optional<VersionId> moved = renamed.entry().version();
            DirectoryEntry entry = new DirectoryEntry(
                    renamed.entry().name(),
                    moved.isPresent() ? Optional.of(names.version(moved.get()).at(rename.to())) : Optional.empty());
            if (renamed.done()) {
                changes.add(
                        transaction, names, rename.to().volume(), Change.renamed(rename, moved, request.nowMillis()));
            }
            return new Done<>(entry, names.leftToPrune());
        });
        prune(done.leftToPrune(), rename.from());
        return done.result();
    }

    /**
     * Removes the directories of a path that are empty although they were not while this path's file was removed: two who
     * remove the last two files of one may each have found the other's.
     */
    private void prune(OptionalLong directory, FilePath path) throws CloudMwException {
        OptionalLong next = directory;
        while (next.isPresent() && isEmpty(next.getAsLong())) {
            next = transactions.run(transaction -> {
                Names names = names(transaction);
                names.tree().prune(path);
                changes.settleOnly(transaction, names, path.volume());
                return transaction.size() > 0 ? names.leftToPrune() : OptionalLong.empty();
            });
        }
    }

    private boolean isEmpty(long directory) throws CloudMwException {
        return table.query(Range.all(Keys.directory(directory)), 1, "pk, sk").isEmpty();
    }

    Page<DirectoryEntry> list(DirectoryPath path, String pageToken, int limit) throws CloudMwException {
        Optional<ListingPosition> position =
                transactions.run(transaction -> names(transaction).tree().position(path, pageToken));
        if (position.isEmpty()) {
            return new Page<>(List.of(), "");
        }
        long directory = position.get().directory();
        List<DirectoryEntry> found = new ArrayList<>();
        for (Item item : table.query(
                Range.after(Keys.directory(directory), position.get().after()), limit + 1, LISTED)) {
            found.add(listed(path, item.key().sort(), item));
        }
        if (found.isEmpty() && path.asEntry().isPresent()) {
            // Whoever emptied it may have stopped before it was gone.
            prune(OptionalLong.of(directory), path.child("none"));
        }
        return Pages.cut(found, limit, position.get()::tokenAfter);
    }

    static DirectoryEntry listed(DirectoryPath path, String name, Item item) throws CloudMwException {
        return new DirectoryEntry(
                name,
                item.has(Item.FORM)
                        ? Optional.of(StoredForms.version(item.bytes(Item.FORM)).at(path.child(name)))
                        : Optional.empty(),
                Names.attributes(item));
    }
}
