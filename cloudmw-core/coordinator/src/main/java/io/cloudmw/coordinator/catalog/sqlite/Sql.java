package io.cloudmw.coordinator.catalog.sqlite;

import io.cloudmw.core.error.CloudMwException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Helper methods that run SQL statements and read their rows. */
final class Sql {
    private Sql() {}

    /** A function that makes a value of a row. */
    @FunctionalInterface
    interface Row<T> {
        T read(ResultSet row) throws SQLException, CloudMwException;
    }

    /** Runs a statement and returns how many rows it changed. */
    static int update(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = prepare(connection, sql, arguments)) {
            return statement.executeUpdate();
        }
    }

    static <T> List<T> list(Connection connection, Row<T> row, String sql, Object... arguments)
            throws SQLException, CloudMwException {
        try (PreparedStatement statement = prepare(connection, sql, arguments);
                ResultSet rows = statement.executeQuery()) {
            List<T> values = new ArrayList<>();
            while (rows.next()) {
                values.add(row.read(rows));
            }
            return values;
        }
    }

    static <T> Optional<T> first(Connection connection, Row<T> row, String sql, Object... arguments)
            throws SQLException, CloudMwException {
        try (PreparedStatement statement = prepare(connection, sql, arguments);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? Optional.of(row.read(rows)) : Optional.empty();
        }
    }

    static boolean exists(Connection connection, String sql, Object... arguments)
            throws SQLException, CloudMwException {
        return first(connection, row -> true, sql, arguments).isPresent();
    }

    static PreparedStatement prepare(Connection connection, String sql, Object... arguments) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            return statement;
        } catch (SQLException | RuntimeException e) {
            statement.close();
            throw e;
        }
    }
}
