package io.cloudmw.coordinator.catalog.dynamodb;

import io.cloudmw.coordinator.catalog.PageRules;
import io.cloudmw.coordinator.catalog.change.ChangeRequest;
import io.cloudmw.coordinator.catalog.dynamodb.table.Item;
import io.cloudmw.coordinator.catalog.dynamodb.table.ItemKey;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyLayout;
import io.cloudmw.coordinator.catalog.dynamodb.table.KeyRange;
import io.cloudmw.coordinator.catalog.dynamodb.table.Table;
import io.cloudmw.coordinator.catalog.dynamodb.table.TransactionConflict;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.Transaction;
import io.cloudmw.coordinator.catalog.dynamodb.transaction.TransactionRetry;
import io.cloudmw.coordinator.catalog.stored.StoredAnswer;
import io.cloudmw.coordinator.catalog.stored.StoredForms;
import io.cloudmw.coordinator.catalog.tree.CurrentEntry;
import io.cloudmw.coordinator.catalog.tree.CurrentFile;
import io.cloudmw.coordinator.catalog.tree.DirectoryEntry;
import io.cloudmw.coordinator.catalog.tree.DirectoryPath;
import io.cloudmw.coordinator.catalog.tree.KeptDirectory;
import io.cloudmw.coordinator.catalog.tree.ListingPosition;
import io.cloudmw.coordinator.catalog.tree.Tree;
import io.cloudmw.coordinator.catalog.tree.TreeEntry;
import io.cloudmw.coordinator.catalog.tree.TreeFile;
import io.cloudmw.core.error.CloudMwException;
import io.cloudmw.core.model.FilePath;
import io.cloudmw.core.model.Page;
import io.cloudmw.core.model.VersionId;
import io.cloudmw.core.model.file.AttributeChange;
import io.cloudmw.core.model.file.Attributes;
import io.cloudmw.core.model.file.Change;
import io.cloudmw.core.model.file.FileCopy;
import io.cloudmw.core.model.file.FileVersion;
import io.cloudmw.core.model.file.Rename;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** The operations on paths except the commit. Safe for any thread. */
final class FileItems {
    private static final String LISTED = "pk, sk, " + Item.FORM + ", " + Item.ATTRIBUTES + ", " + Item.CREATED_AT;

    private final Table table;
    private final TransactionRetry transactions;
    private final DirectoryNumbers numbers;
    private final ChangeLogItems changes;

    FileItems(Table table, TransactionRetry transactions, DirectoryNumbers numbers, ChangeLogItems changes) {
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

    private NameItems names(Transaction transaction) {
        return new NameItems(transaction, numbers, changes);
    }

    Optional<CurrentFile> file(FilePath path) throws CloudMwException {
        return entry(path).flatMap(CurrentEntry::file);
    }

    List<Optional<CurrentFile>> files(List<FilePath> paths) throws CloudMwException {
        List<Optional<CurrentFile>> found = new ArrayList<>(paths.size());
        for (int from = 0; from < paths.size(); from += Table.MAX_ITEMS) {
            List<FilePath> some = paths.subList(from, Math.min(paths.size(), from + Table.MAX_ITEMS));
            found.addAll(transactions.run(transaction -> files(transaction, some)));
        }
        return found;
    }

    /** Reads directories one by one, and then all entries in them at once. */
    private List<Optional<CurrentFile>> files(Transaction transaction, List<FilePath> paths)
            throws TransactionConflict, CloudMwException {
        NameItems names = names(transaction);
        List<ItemKey> entries = new ArrayList<>(paths.size());
        for (FilePath path : paths) {
            OptionalLong directory = names.tree().directoryOf(path);
            if (directory.isPresent()) {
                entries.add(KeyLayout.entry(directory.getAsLong(), path.name()));
            }
        }
        Set<ItemKey> directories = transaction.readSoFar();
        transaction.load(entries);
        // As in entry: a directory may have been moved before its entries were read.
        if (!transaction.areUnchanged(directories)) {
            throw new TransactionConflict("read while others wrote");
        }
        List<Optional<CurrentFile>> found = new ArrayList<>(paths.size());
        for (FilePath path : paths) {
            Optional<TreeFile> file = names.tree().find(path).flatMap(TreeEntry::file);
            found.add(file.isPresent() ? Optional.of(current(names, path, file.get())) : Optional.empty());
        }
        return found;
    }

    private static CurrentFile current(NameItems names, FilePath path, TreeFile file) throws CloudMwException {
        return new CurrentFile(names.version(file.version()).at(path), file.createdAtMillis(), file.attributes());
    }

    Optional<CurrentEntry> entry(FilePath path) throws CloudMwException {
        return transactions.run(transaction -> {
            NameItems names = names(transaction);
            Optional<TreeEntry> entry = names.tree().find(path);
            // The directory may have been moved during the reads: its entries have another path now, and never had this
            // one.
            if (path.path().lastIndexOf('/') > 0 && !transaction.wasSoAtOnce()) {
                throw new TransactionConflict("read while others wrote");
            }
            if (entry.isEmpty() || entry.get().isDirectory()) {
                return entry.map(directory -> CurrentEntry.directory(directory.kept()));
            }
            return Optional.of(
                    CurrentEntry.file(current(names, path, entry.get().file().get())));
        });
    }

    Attributes setAttributes(AttributeChange change, ChangeRequest request) throws CloudMwException {
        FilePath file = change.file();
        return AppliedCallItems.once(transactions, request, StoredAnswer.ATTRIBUTES, transaction -> {
            NameItems names = names(transaction);
            Tree.Attributed changed = names.tree().setAttributes(change, request.nowMillis());
            changes.add(
                    transaction, names, file.volume(), Change.attributes(file, changed.version(), request.nowMillis()));
            return changed.attributes();
        });
    }

    FileVersion remove(FilePath file, boolean keepDirectories, ChangeRequest request) throws CloudMwException {
        ChangeResult<FileVersion> done =
                AppliedCallItems.once(transactions, request, ChangeResult.as(StoredAnswer.VERSION), transaction -> {
                    NameItems names = names(transaction);
                    VersionId id = names.tree().remove(file, keepDirectories, request.nowMillis());
                    FileVersion version = names.version(id);
                    changes.add(transaction, names, file.volume(), Change.removed(file, id, request.nowMillis()));
                    return new ChangeResult<>(version.at(file), names.leftToPrune());
                });
        prune(done.leftToPrune(), file);
        return done.result();
    }

    FileVersion link(FilePath from, FilePath to, TreeFile as, long nowMillis) throws CloudMwException {
        return transactions.run(transaction -> {
            NameItems names = names(transaction);
            if (names.tree().link(from, to, as)) {
                names.finish();
                changes.add(transaction, names, to.volume(), Change.put(to, as.version(), nowMillis));
                ChangeLogItems.linked(transaction, to.volume());
            }
            return names.version(as.version()).at(to);
        });
    }

    void createDirectory(FilePath directory, boolean parents, Attributes attributes, ChangeRequest request)
            throws CloudMwException {
        Optional<FileVersion> unused =
                AppliedCallItems.once(transactions, request, StoredAnswer.MAYBE_VERSION, transaction -> {
                    NameItems names = names(transaction);
                    if (names.tree().createDirectory(directory, parents, attributes, request.nowMillis())) {
                        names.finish();
                        changes.add(
                                transaction,
                                names,
                                directory.volume(),
                                Change.directoryCreated(directory, request.nowMillis()));
                    }
                    return Optional.empty();
                });
    }

    void restoreDirectory(FilePath directory, KeptDirectory as, long nowMillis) throws CloudMwException {
        FilePath unused = transactions.run(transaction -> {
            NameItems names = names(transaction);
            if (names.tree().restoreDirectory(directory, as)) {
                names.finish();
                changes.add(transaction, names, directory.volume(), Change.directoryCreated(directory, nowMillis));
            }
            return directory;
        });
    }

    void removeDirectory(FilePath directory, ChangeRequest request) throws CloudMwException {
        Optional<FileVersion> unused =
                AppliedCallItems.once(transactions, request, StoredAnswer.MAYBE_VERSION, transaction -> {
                    NameItems names = names(transaction);
                    names.tree().removeDirectory(directory, request.nowMillis());
                    changes.add(
                            transaction,
                            names,
                            directory.volume(),
                            Change.directoryRemoved(directory, request.nowMillis()));
                    return Optional.empty();
                });
    }

    FileVersion copy(FileCopy copy, ChangeRequest request) throws CloudMwException {
        return AppliedCallItems.once(transactions, request, StoredAnswer.VERSION, transaction -> {
            NameItems names = names(transaction);
            TreeFile as = names.tree().copied(copy, request.nowMillis());
            if (names.tree().restore(copy.to(), as)) {
                names.finish();
                changes.add(
                        transaction,
                        names,
                        copy.to().volume(),
                        Change.put(copy.to(), as.version(), request.nowMillis()));
                ChangeLogItems.linked(transaction, copy.to().volume());
            }
            return names.version(as.version()).at(copy.to());
        });
    }

    /** The result of a change, and the directory to check for emptiness after it. */
    private record ChangeResult<T>(T result, OptionalLong leftToPrune) {
        static <T> StoredAnswer<ChangeResult<T>> as(StoredAnswer<T> form) {
            return form.as(ChangeResult::result, result -> new ChangeResult<>(result, OptionalLong.empty()));
        }
    }

    DirectoryEntry rename(Rename rename, ChangeRequest request) throws CloudMwException {
        StoredAnswer<DirectoryEntry> form = StoredAnswer.MAYBE_VERSION.as(
                DirectoryEntry::version,
                version -> new DirectoryEntry(rename.to().name(), version));
        ChangeResult<DirectoryEntry> done =
                AppliedCallItems.once(transactions, request, ChangeResult.as(form), transaction -> {
                    NameItems names = names(transaction);
                    Tree.Renamed renamed = names.tree().rename(rename, request.nowMillis());
                    names.finish();
                    Optional<VersionId> moved = renamed.entry().version();
                    DirectoryEntry entry = new DirectoryEntry(
                            renamed.entry().name(),
                            moved.isPresent()
                                    ? Optional.of(names.version(moved.get()).at(rename.to()))
                                    : Optional.empty());
                    if (renamed.done()) {
                        changes.add(
                                transaction,
                                names,
                                rename.to().volume(),
                                Change.renamed(rename, moved, request.nowMillis()));
                    }
                    return new ChangeResult<>(entry, names.leftToPrune());
                });
        prune(done.leftToPrune(), rename.from());
        return done.result();
    }

    /**
     * Removes the directories of a path that are empty now, but were not when the file was removed. Two calls that
     * remove the last two files of a directory may each have seen the other's file.
     */
    private void prune(OptionalLong directory, FilePath path) throws CloudMwException {
        OptionalLong next = directory;
        while (next.isPresent() && isEmpty(next.getAsLong())) {
            next = transactions.run(transaction -> {
                NameItems names = names(transaction);
                names.tree().prune(path);
                changes.settleOnly(transaction, names, path.volume());
                return transaction.size() > 0 ? names.leftToPrune() : OptionalLong.empty();
            });
        }
    }

    private boolean isEmpty(long directory) throws CloudMwException {
        return table.query(KeyRange.all(KeyLayout.directory(directory)), 1, "pk, sk")
                .isEmpty();
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
                KeyRange.after(KeyLayout.directory(directory), position.get().after()), limit + 1, LISTED)) {
            found.add(listed(path, item.key().sort(), item));
        }
        if (found.isEmpty() && path.asEntry().isPresent()) {
            // The call that emptied the directory may have failed before it removed the directory.
            prune(OptionalLong.of(directory), path.child("none"));
        }
        return PageRules.cut(found, limit, position.get()::tokenAfter);
    }

    static DirectoryEntry listed(DirectoryPath path, String name, Item item) throws CloudMwException {
        return new DirectoryEntry(
                name,
                item.has(Item.FORM)
                        ? Optional.of(StoredForms.version(item.bytes(Item.FORM)).at(path.child(name)))
                        : Optional.empty(),
                NameItems.attributes(item),
                item.has(Item.CREATED_AT) ? item.number(Item.CREATED_AT) : 0);
    }
}
