// Trigonometry for queries about places.

#include <math.h>

#include "CScan.h"

void scan_geo_unit(double latitude, double longitude, double *out) {
  double radians = acos(-1.0) / 180;
  // Places at a pole, or at the meridian at which longitudes begin anew, are exactly the same
  // whichever of their longitudes they are given by.
  double across = fabs(latitude) == 90 ? 0 : cos(latitude * radians);
  longitude = remainder(longitude, 360);
  out[0] = across * cos(longitude * radians);
  out[1] = fabs(longitude) == 180 ? 0 : across * sin(longitude * radians);
  out[2] = sin(latitude * radians);
}

double scan_geo_sine(double radians) { return sin(radians); }

double scan_geo_angle(double y, double x) { return atan2(y, x); }
