output "alarms" {
  description = "Names of the alarms, for instance for refresh_alarms of a fleet."
  value = concat(
    [for alarm in aws_cloudwatch_metric_alarm.missing : alarm.alarm_name],
    [aws_cloudwatch_metric_alarm.no_coordinator.alarm_name],
    [for alarm in aws_cloudwatch_metric_alarm.table : alarm.alarm_name],
    [for alarm in aws_cloudwatch_metric_alarm.disk_stalled : alarm.alarm_name],
  )
}

output "dashboard" {
  description = "Name of the dashboard."
  value       = aws_cloudwatch_dashboard.this.dashboard_name
}
