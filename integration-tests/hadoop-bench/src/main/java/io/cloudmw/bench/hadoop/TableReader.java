package io.cloudmw.bench.hadoop;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.example.data.Group;
import org.apache.parquet.example.data.simple.SimpleGroupFactory;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.example.ExampleParquetWriter;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.MessageTypeParser;

/**
 * A reader and writer of Parquet through file systems of Hadoop. Reads an order from each line of standard input and
 * answers with the seconds that it took. Systems are {@code classic} and {@code analytics}, which are S3A with that kind
 * of stream, and {@code cloudmw}.
 *
 * <pre>
 * table SYSTEM URI COLUMNS ROWS            write a table of random numbers
 * small SYSTEM URI COUNT                   write many small tables into a directory
 * scan SYSTEM URI COLUMNS READERS          read some columns, by several readers with a file system each
 * footers SYSTEM URI COUNT                 read the footers of the small tables
 * rename SYSTEM URI URI                    rename a directory
 * </pre>
 */
public final class TableReader {
    private static final int ROW_GROUP_BYTES = 128 << 20;
    private static final int WRITERS = 16;

    private final String endpoint;
    private final Map<String, FileSystem> systems = new HashMap<>();

    private TableReader(String endpoint) {
        this.endpoint = endpoint;
    }

    /** @param arguments the endpoint of S3; keys are in the environment */
    public static void main(String[] arguments) throws Exception {
        PrintStream answers = System.out;
        System.setOut(System.err);
        TableReader reader = new TableReader(arguments[0]);
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = orders.readLine(); line != null; line = orders.readLine()) {
            answers.printf(Locale.ROOT, "%.6f%n", reader.obey(line.split(" ")));
            answers.flush();
        }
        System.exit(0);
    }

    private double obey(String[] order) throws Exception {
        String system = order[1];
        URI uri = URI.create(order[2]);
        switch (order[0]) {
            case "table":
                return timed(() -> writeTable(
                        system(system, uri),
                        new Path(uri),
                        Integer.parseInt(order[3]),
                        Long.parseLong(order[4])));
            case "small":
                return timed(() -> writeSmall(system(system, uri), new Path(uri), Integer.parseInt(order[3])));
            case "scan":
                return scan(system, uri, Integer.parseInt(order[3]), Integer.parseInt(order[4]));
            case "footers":
                return timed(() -> footers(system(system, uri), new Path(uri), Integer.parseInt(order[3])));
            case "rename":
                return timed(() -> {
                    if (!system(system, uri).rename(new Path(uri), new Path(order[3]))) {
                        throw new IOException("cannot rename " + uri);
                    }
                });
            default:
                throw new IllegalArgumentException("order: " + order[0]);
        }
    }

    private interface Job {
        void run() throws Exception;
    }

    private static double timed(Job job) throws Exception {
        long start = System.nanoTime();
        job.run();
        return (System.nanoTime() - start) / 1e9;
    }

    private Configuration configuration(String system) {
        Configuration configuration = new Configuration();
        configuration.set("fs.s3a.endpoint", endpoint);
        configuration.set("fs.s3a.endpoint.region", "us-east-1");
        configuration.set("fs.s3a.path.style.access", "true");
        configuration.set("fs.s3a.connection.ssl.enabled", "false");
        configuration.set("fs.s3a.access.key", System.getenv("AWS_ACCESS_KEY_ID"));
        configuration.set("fs.s3a.secret.key", System.getenv("AWS_SECRET_ACCESS_KEY"));
        configuration.set("fs.s3a.connection.maximum", "200");
        if (!system.equals("cloudmw")) {
            configuration.set("fs.s3a.input.stream.type", system);
        }
        return configuration;
    }

    private FileSystem system(String system, URI uri) throws IOException {
        FileSystem known = systems.get(system + uri.getAuthority());
        if (known == null) {
            known = FileSystem.newInstance(uri, configuration(system));
            systems.put(system + uri.getAuthority(), known);
        }
        return known;
    }

    private static MessageType schema(int columns) {
        return MessageTypeParser.parseMessageType(IntStream.range(0, columns)
                .mapToObj(column -> "required int64 c" + column + ";")
                .collect(Collectors.joining(" ", "message row { ", " }")));
    }

    private static void writeTable(FileSystem system, Path path, int columns, long rows) throws IOException {
        MessageType schema = schema(columns);
        SplittableRandom random = new SplittableRandom(1);
        SimpleGroupFactory groups = new SimpleGroupFactory(schema);
        try (ParquetWriter<Group> writer = ExampleParquetWriter.builder(new SystemOutputFile(system, path))
                .withType(schema)
                .withRowGroupSize((long) ROW_GROUP_BYTES)
                .withDictionaryEncoding(false)
                .build()) {
            for (long row = 0; row < rows; row++) {
                Group group = groups.newGroup();
                for (int column = 0; column < columns; column++) {
                    group.add(column, random.nextLong());
                }
                writer.write(group);
            }
        }
    }

    private static void writeSmall(FileSystem system, Path directory, int count) throws Exception {
        inParallel(WRITERS, IntStream.range(0, count)
                .<Job>mapToObj(i -> () -> writeTable(system, new Path(directory, "t" + i), 20, 100))
                .collect(Collectors.toList()));
    }

    private static void inParallel(int threads, List<Job> jobs) throws Exception {
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> running = new ArrayList<>();
            for (Job job : jobs) {
                running.add(executor.submit(() -> {
                    job.run();
                    return null;
                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        } finally {
            executor.shutdownNow();
        }
    }

    /** Opening the file systems is not part of the time. */
    private double scan(String system, URI uri, int columns, int readers) throws Exception {
        List<FileSystem> own = new ArrayList<>();
        try {
            for (int i = 0; i < readers; i++) {
                own.add(FileSystem.newInstance(uri, configuration(system)));
            }
            List<Job> jobs = new ArrayList<>();
            for (FileSystem one : own) {
                jobs.add(() -> scan(one, new Path(uri), columns));
            }
            return timed(() -> inParallel(readers, jobs));
        } finally {
            for (FileSystem one : own) {
                one.close();
            }
        }
    }

    private static void scan(FileSystem system, Path path, int columns) throws IOException {
        try (ParquetFileReader reader = ParquetFileReader.open(new SystemInputFile(system, path))) {
            reader.setRequestedSchema(schema(columns));
            for (PageReadStore group = reader.readNextRowGroup(); group != null; group = reader.readNextRowGroup()) {
                group.close();
            }
        }
    }

    private static void footers(FileSystem system, Path directory, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            try (ParquetFileReader reader =
                    ParquetFileReader.open(new SystemInputFile(system, new Path(directory, "t" + i)))) {
                if (reader.getFooter().getBlocks().size() != 1) {
                    throw new IOException("t" + i + ": " + reader.getFooter().getBlocks().size() + " row groups");
                }
            }
        }
    }
}
