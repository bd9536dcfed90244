package io.cloudmw.iceberg;

import static org.assertj.core.api.Assertions.assertThat;

import io.cloudmw.testkit.CloudMwCluster;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.DataFile;
import org.apache.iceberg.FileScanTask;
import org.apache.iceberg.PartitionKey;
import org.apache.iceberg.PartitionSpec;
import org.apache.iceberg.ReachableFileUtil;
import org.apache.iceberg.RewriteFiles;
import org.apache.iceberg.Schema;
import org.apache.iceberg.SerializableTable;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.data.GenericFileWriterFactory;
import org.apache.iceberg.data.GenericRecord;
import org.apache.iceberg.data.IcebergGenerics;
import org.apache.iceberg.data.Record;
import org.apache.iceberg.encryption.EncryptedFiles;
import org.apache.iceberg.encryption.EncryptionKeyMetadata;
import org.apache.iceberg.expressions.Expressions;
import org.apache.iceberg.io.CloseableIterable;
import org.apache.iceberg.io.DataWriter;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.apache.iceberg.jdbc.JdbcCatalog;
import org.apache.iceberg.types.Types;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Tables of Iceberg whose data and metadata are in a volume; only the catalog's pointer is elsewhere. */
final class IcebergTableTest {
    private static final Schema SCHEMA = new Schema(
            Types.NestedField.required(1, "id", Types.LongType.get()),
            Types.NestedField.required(2, "day", Types.StringType.get()),
            Types.NestedField.required(3, "text", Types.StringType.get()));

    @RegisterExtension
    static final CloudMwCluster CLUSTER =
            CloudMwCluster.builder().helpers(2).volume("lake").build();

    private final String warehouse = "warehouse-" + UUID.randomUUID();

    @TempDir
    Path directory;

    private final JdbcCatalog catalog = new JdbcCatalog();

    @BeforeEach
    void openTheCatalog() {
        catalog.initialize(
                "test",
                Map.of(
                        CatalogProperties.URI,
                        "jdbc:sqlite:" + directory.resolve("catalog.db") + "?busy_timeout=30000",
                        CatalogProperties.WAREHOUSE_LOCATION,
                        "cloudmw:///lake/" + warehouse,
                        CatalogProperties.FILE_IO_IMPL,
                        CloudMwFileIO.class.getName(),
                        IcebergSetting.COORDINATOR.key(),
                        CLUSTER.coordinatorAddress()));
        catalog.createNamespace(Namespace.of("db"));
    }

    @AfterEach
    void closeTheCatalog() {
        catalog.close();
    }

    private Table createTable(String name, PartitionSpec spec) {
        return catalog.createTable(
                TableIdentifier.of("db", name),
                SCHEMA,
                spec,
                Map.of(
                        TableProperties.PARQUET_ROW_GROUP_SIZE_BYTES, "65536",
                        TableProperties.COMMIT_NUM_RETRIES, "20",
                        TableProperties.COMMIT_MIN_RETRY_WAIT_MS, "1"));
    }

    private static Record record(long id) {
        GenericRecord record = GenericRecord.create(SCHEMA);
        record.setField("id", id);
        record.setField("day", "2026/11/" + (10 + id % 2));
        record.setField("text", "row " + id + " ".repeat(50));
        return record;
    }

    /** Writes a data file of rows of one partition. */
    private static DataFile writeRows(Table table, Iterable<Record> rows) throws IOException {
        PartitionKey partition = null;
        if (table.spec().isPartitioned()) {
            partition = new PartitionKey(table.spec(), table.schema());
            partition.partition(rows.iterator().next());
        }
        String name = UUID.randomUUID() + ".parquet";
        String location = partition == null
                ? table.locationProvider().newDataLocation(name)
                : table.locationProvider().newDataLocation(table.spec(), partition, name);
        GenericFileWriterFactory writers = new GenericFileWriterFactory.Builder(table).build();
        DataWriter<Record> writer = writers.newDataWriter(
                EncryptedFiles.encryptedOutput(table.io().newOutputFile(location), EncryptionKeyMetadata.EMPTY),
                table.spec(),
                partition);
        try (writer) {
            rows.forEach(writer::write);
        }
        return writer.toDataFile();
    }

    private static List<Record> rows(long from, long to) {
        return LongStream.range(from, to).mapToObj(IcebergTableTest::record).collect(Collectors.toList());
    }

    private static void append(Table table, long from, long to) throws IOException {
        table.newAppend().appendFile(writeRows(table, rows(from, to))).commit();
    }

    private static List<Long> ids(CloseableIterable<Record> rows) throws IOException {
        try (rows) {
            return StreamSupport.stream(rows.spliterator(), false)
                    .peek(row -> assertThat(row.getField("text"))
                            .isEqualTo(record((Long) row.getField("id")).getField("text")))
                    .map(row -> (Long) row.getField("id"))
                    .sorted()
                    .collect(Collectors.toList());
        }
    }

    private static List<Long> ids(Table table) throws IOException {
        return ids(IcebergGenerics.read(table).build());
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().collect(Collectors.toList());
    }

    private static Set<String> listed(Table table) {
        return StreamSupport.stream(
                        ((SupportsPrefixOperations) table.io())
                                .listPrefix(table.location())
                                .spliterator(),
                        false)
                .map(FileInfo::location)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The files that some snapshot of the table needs. */
    private static Set<String> reachable(Table table) throws IOException {
        Set<String> files = new TreeSet<>(ReachableFileUtil.metadataFileLocations(table, true));
        files.addAll(ReachableFileUtil.manifestListLocations(table));
        for (Snapshot snapshot : table.snapshots()) {
            snapshot.allManifests(table.io()).forEach(manifest -> files.add(manifest.path()));
            try (CloseableIterable<FileScanTask> tasks =
                    table.newScan().useSnapshot(snapshot.snapshotId()).planFiles()) {
                tasks.forEach(task -> files.add(task.file().location()));
            }
        }
        return files;
    }

    @Test
    void tableIsAppendedCompactedAndReadAsItWas() throws IOException {
        Table table = createTable("events", PartitionSpec.unpartitioned());
        append(table, 0, 1000);
        long first = table.currentSnapshot().snapshotId();
        append(table, 1000, 2000);
        append(table, 2000, 3000);
        assertThat(ids(table)).isEqualTo(range(0, 3000));
        assertThat(ids(IcebergGenerics.read(table)
                        .where(Expressions.and(
                                Expressions.greaterThanOrEqual("id", 1500L), Expressions.lessThan("id", 2500L)))
                        .build()))
                .isEqualTo(range(1500, 2500));
        assertThat(ids(IcebergGenerics.read(table).useSnapshot(first).build())).isEqualTo(range(0, 1000));

        Set<DataFile> small = new HashSet<>();
        try (CloseableIterable<FileScanTask> tasks = table.newScan().planFiles()) {
            tasks.forEach(task -> small.add(task.file()));
        }
        assertThat(small).hasSize(3);
        DataFile compacted;
        try (CloseableIterable<Record> rows = IcebergGenerics.read(table).build()) {
            compacted = writeRows(table, rows);
        }
        RewriteFiles rewrite = table.newRewrite().addFile(compacted);
        small.forEach(rewrite::deleteFile);
        rewrite.commit();
        table.refresh();
        assertThat(ids(table)).isEqualTo(range(0, 3000));
        assertThat(ids(IcebergGenerics.read(table).useSnapshot(first).build())).isEqualTo(range(0, 1000));

        append(table, 3000, 4000); // files are removed with the snapshot that replaced them
        table.expireSnapshots().expireOlderThan(Long.MAX_VALUE).retainLast(1).commit();
        table.refresh();
        assertThat(table.snapshots()).hasSize(1);
        small.forEach(file ->
                assertThat(table.io().newInputFile(file.location()).exists()).isFalse());
        assertThat(ids(table)).isEqualTo(range(0, 4000));
        assertThat(listed(table)).isEqualTo(reachable(table));
    }

    @Test
    void commitsOfSeveralWritersAreAllKept() throws IOException, InterruptedException, ExecutionException {
        Table created = createTable("shared", PartitionSpec.unpartitioned());
        assertThat(ids(created)).isEmpty();
        int writers = 3;
        ExecutorService threads = Executors.newFixedThreadPool(writers);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int i = 0; i < writers; i++) {
                long from = i * 200L;
                done.add(threads.submit(() -> {
                    Table table = catalog.loadTable(TableIdentifier.of("db", "shared"));
                    append(table, from, from + 100);
                    append(table, from + 100, from + 200);
                    return null;
                }));
            }
            for (Future<?> each : done) {
                assertThat(each.get()).isNull();
            }
        } finally {
            threads.shutdown();
        }
        created.refresh();
        assertThat(created.snapshots()).hasSize(2 * writers);
        assertThat(ids(created)).isEqualTo(range(0, 200L * writers));
    }

    @Test
    void orphansAreFoundByThePrefixAndRemovedInBulk() throws IOException {
        Table table = createTable(
                "days", PartitionSpec.builderFor(SCHEMA).identity("day").build());
        List<Record> rows = rows(0, 100);
        for (String day : List.of("2026/11/10", "2026/11/11")) {
            List<Record> ofDay =
                    rows.stream().filter(row -> row.getField("day").equals(day)).collect(Collectors.toList());
            table.newFastAppend().appendFile(writeRows(table, ofDay)).commit();
        }
        String orphan = writeRows(table, List.of(record(1000))).location();
        assertThat(orphan).contains("/day=2026%2F11%2F10/");
        Set<String> orphans = listed(table);
        orphans.removeAll(reachable(table));
        assertThat(orphans).containsExactly(orphan);

        ((CloudMwFileIO) table.io()).deleteFiles(orphans);
        assertThat(listed(table)).isEqualTo(reachable(table));
        assertThat(ids(table)).isEqualTo(range(0, 100));
        assertThat(ids(IcebergGenerics.read(table)
                        .where(Expressions.equal("day", "2026/11/11"))
                        .build()))
                .hasSize(50);
    }

    @Test
    void copyOfATableThatWasSentToAWorkerIsRead() throws IOException, ClassNotFoundException {
        Table table = createTable("sent", PartitionSpec.unpartitioned());
        append(table, 0, 100);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(SerializableTable.copyOf(table));
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            Table copy = (Table) in.readObject();
            assertThat(ids(copy)).isEqualTo(range(0, 100));
            copy.io().close();
        }
        assertThat(ids(table)).isEqualTo(range(0, 100));
    }

    @Test
    void droppedTableLeavesNothing() throws IOException {
        Table table = createTable("dropped", PartitionSpec.unpartitioned());
        append(table, 0, 100);
        assertThat(listed(table)).hasSizeGreaterThanOrEqualTo(4);
        assertThat(catalog.dropTable(TableIdentifier.of("db", "dropped"), true)).isTrue();
        ((CloudMwFileIO) table.io()).deletePrefix(table.location() + "/metadata");
        assertThat(listed(table)).isEmpty();
    }
}
